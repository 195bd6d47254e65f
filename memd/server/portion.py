"""As much of what is stored as one answer to a model may hold: whole pieces from the first on, the last one cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memd.text.fence import Line, fenced
from memd.text.tokens import Counter, fits

MOST_CHARS = 30_000
MOST_TOKENS = 8_000
LEAST_CHARS = 200  # of a piece that is cut: less of it says nothing


@dataclass(frozen=True, slots=True)
class Portion:
    """The fenced text, how many pieces it has nothing of, and whether the last one in it is cut."""

    text: str
    left_out: int
    cut: bool


def portion(lines: Sequence[Line], counter: Counter, tokens: int = MOST_TOKENS) -> Portion:
    """What fits of the lines, measured as it stands behind its fence, where spelled out signs take more room."""
    chars = MOST_CHARS
    while chars >= LEAST_CHARS:
        taken = list(_within(lines, chars))
        text = fenced(taken)
        if len(text) <= MOST_CHARS and fits(text, tokens, counter):
            return Portion(text, len(lines) - len(taken), bool(taken) and taken[-1] != lines[len(taken) - 1])
        over = max(len(text) / MOST_CHARS, counter.count(text) / tokens)
        chars = int(min(chars, sum(len(one.text) for one in taken)) / max(over, 1.0) * 0.95)
    return Portion("", len(lines), False)


def _within(lines: Sequence[Line], chars: int) -> Iterator[Line]:
    """The first lines, up to so many characters of text."""
    left = chars
    for one in lines:
        if len(one.text) > left:
            if left >= LEAST_CHARS:
                source = f"the first {left:,} of {len(one.text):,} characters, {one.source}"
                yield replace(one, text=f"{one.text[:left]} …", source=source)
            return
        yield one
        left -= len(one.text)
