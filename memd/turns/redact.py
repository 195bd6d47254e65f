"""Redaction: secrets leave a text before it is first written (R12).

A secret is known by its format (``secrets``), by where it stands (``contexts``) or by the name it is given to
(``named``). It goes as a whole and leaves its kind, ``[REDACTED:<kind>]``; the words around it stay. Redacting twice
changes nothing more.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from memd.turns import contexts, named, secrets

# Raised with every change of the rules: text stored under a lower version may be redacted anew.
RULES_VERSION = 1

_FAMILIES = (*secrets.FAMILIES, *contexts.FAMILIES)
_NOTHING: Mapping[str, int] = MappingProxyType({})
MARKER = re.compile(r"\[REDACTED:[a-z0-9_]+\]")
_PASSES = 6

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out (empty: it is the same text).

    ``secrets`` are what was taken out, each with its kind: to be sought elsewhere, and never to be stored or shown.
    """

    text: str
    counts: Mapping[str, int]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


def redact(text: str) -> Redacted:
    """The text with a marker in place of every secret; the same object when there is none."""
    return redact_all([text]).get(0) or Redacted(text, _NOTHING)


def redact_all(texts: Sequence[str]) -> dict[int, Redacted]:
    """Of the texts those that held secrets, redacted, by their number. Many at once cost less than one by one."""
    results = {number: _redacted(texts[number], spans) for number, spans in _found(texts).items()}
    return {number: result for number, result in results.items() if result.counts}


def _redacted(text: str, spans: list[Span]) -> Redacted:
    counts: Counter[str] = Counter()
    taken: dict[str, str] = {}
    # Taking one secret out can lay another bare, so look again until nothing more is found.
    for _ in range(_PASSES):
        spans = _joined(_apart_from_markers(text, spans))
        if not spans:
            break
        counts.update(kind for _, _, kind in spans)
        taken.update((text[start:end], kind) for start, end, kind in spans)
        text = _marked(text, spans)
        spans = _found([text])[0]
    return Redacted(text, counts, taken)


def _found(texts: Sequence[str]) -> defaultdict[int, list[Span]]:
    """What each text holds. One family after the other goes over all of them: that keeps the loop small and hot."""
    spans: defaultdict[int, list[Span]] = defaultdict(list)
    for family in _FAMILIES:
        needs, has_sign = family.needs, family.sign.search
        for number, text in enumerate(texts):
            if needs in text and has_sign(text):
                spans[number] += family.find(text)
    for number, named_spans in named.find(texts):
        spans[number] += named_spans
    return spans


def _apart_from_markers(text: str, spans: list[Span]) -> list[Span]:
    """The spans that touch no marker of an earlier pass."""
    if not spans or "[REDACTED:" not in text:
        return spans
    markers = [match.span() for match in MARKER.finditer(text)]
    starts = [start for start, _ in markers]

    def is_apart(start: int, end: int) -> bool:
        before = bisect_left(starts, end)
        return not before or markers[before - 1][1] <= start

    return [span for span in spans if is_apart(span[0], span[1])]


def _joined(spans: list[Span]) -> list[Span]:
    """Spans that overlap become one, of the kind found first: formats are listed before names."""
    joined: list[tuple[int, int, int]] = []
    for start, end, order in sorted((start, end, order) for order, (start, end, _) in enumerate(spans)):
        if joined and start < joined[-1][1]:
            first, last, best = joined[-1]
            joined[-1] = (first, max(last, end), min(best, order))
        else:
            joined.append((start, end, order))
    return [(start, end, spans[order][2]) for start, end, order in joined]


def _marked(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, kind in spans:
        pieces += text[at:start], f"[REDACTED:{kind}]"
        at = end
    return "".join(pieces) + text[at:]
