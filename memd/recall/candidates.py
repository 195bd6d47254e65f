"""What competes for the room: whole turns, windows of replies, and the openings of turns.

A window is three sentences, or one block of code, or one table. A candidate is a run of its turn's text, word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from memd.recall.context import StoredTurn
from memd.text.blocks import Kind
from memd.text.sentences import Unit, units

Pool = Literal["user", "reply", "detail"]
Form = Literal["turn", "window", "opening"]

WINDOW_SENTENCES = 3
SHORT_CHARS = 400  # a reply up to this is one window
OPENING_CHARS = 160

_WHOLE = (Kind.CODE, Kind.TABLE)


class Candidate(NamedTuple):
    """A run of a turn, from its first character to behind its last. ``score`` compares within a pool.

    ``lined`` is a block of code or a table by itself; ``left_out`` counts the lines behind its end that are cut off.
    """

    turn: StoredTurn
    pool: Pool
    kind: Form
    part: int
    start: int
    end: int
    score: float
    lined: bool = False
    left_out: int = 0

    @property
    def text(self) -> str:
        """The run itself."""
        return self.turn.text[self.start : self.end]


def pool_of(turn: StoredTurn) -> Pool:
    """Where a turn competes."""
    return "user" if turn.by_user else "reply"


def whole(turn: StoredTurn, score: float) -> Candidate:
    """The turn as it is, without the white space around it."""
    return _run(turn, pool_of(turn), "turn" if turn.by_user else "window", 0, (0, len(turn.text)), score)


def windows(turn: StoredTurn, pool: Pool) -> list[Candidate]:
    """The turn in windows, which cover it; they have no scores yet."""
    if len(turn.text) <= SHORT_CHARS:
        return [_run(turn, pool, "window", 0, (0, len(turn.text)), 0.0)]
    spans = _spans(units(turn.text))
    return [
        _run(turn, pool, "window", part, (start, end), 0.0)._replace(lined=lined)
        for part, (start, end, lined) in enumerate(spans)
    ]


def cut(one: Candidate, chars: int) -> Candidate:
    """So many of its first characters; of code and tables the whole lines among them, if the first is."""
    text = one.text[:chars].rstrip()
    if one.lined and len(text) < one.end - one.start:
        text = text[: text.rfind("\n")].rstrip() if "\n" in text else text
        rest = one.turn.text[one.start + len(text) : one.end].strip()
        return one._replace(end=one.start + len(text), left_out=rest.count("\n") + 1)
    return one._replace(end=one.start + len(text))


def opening(turn: StoredTurn, score: float) -> Candidate | None:
    """What the turn sets out with: its first sentences, without code; None where it is all code."""
    start = end = -1
    for unit in units(turn.text[: 8 * OPENING_CHARS]):
        if unit.kind in _WHOLE:
            if end >= 0:
                break
            continue
        if end >= 0 and unit.end - start > OPENING_CHARS:
            break
        start, end = (unit.start if start < 0 else start), unit.end
    return None if end < 0 else _run(turn, pool_of(turn), "opening", 0, (start, end), score)


def _spans(found: Iterable[Unit]) -> Iterator[tuple[int, int, bool]]:
    """Runs of up to three sentences, and, with True, each block of code and each table by itself."""
    start, taken, end = 0, 0, 0
    for unit in found:
        alone = unit.kind in _WHOLE
        if taken and (alone or taken == WINDOW_SENTENCES):
            yield start, end, False
            start, taken = unit.start, 0
        start, taken, end = (start if taken else unit.start), taken + 1, unit.end
        if alone:
            yield start, end, True
            taken = 0
    if taken:
        yield start, end, False


def _run(
    turn: StoredTurn, pool: Pool, kind: Form, part: int, span: tuple[int, int], score: float
) -> Candidate:
    text = turn.text[span[0] : span[1]]
    start = span[0] + len(text) - len(text.lstrip())
    return Candidate(turn, pool, kind, part, start, max(start, span[0] + len(text.rstrip())), score)
