"""Merging a ranking by words with one by meaning, and what a turn gains from its surroundings.

The formula is a convex sum of normalised scores, times a prior for length, plus a part of the neighbours' and of the
session's best score. Neighbours and session lift a rank; they make no hit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

MEANING = 0.6
TOKENS = 0.5  # of the score, where the tokens of the question were compared; the rest is words and meaning
LATE_MEANING = 0.4  # of that rest
BEFORE = 0.2  # of the score of the turn before: an answer follows its question
AFTER = 0.1
SESSION = 0.3
ASKING_LOSS = 0.1
LONG = 800
LONG_LOSS = 0.4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A turn that a lane found: its lanes' scores (None where a lane did not see it) and its place."""

    row: int
    session: int
    size: int  # bytes of its text
    before: int | None  # the row of the turn before it in its session
    bm25: float | None
    cosine: float | None
    at_ms: int = 0
    asks: bool = False  # it only asks: it resembles a question more than it answers one


class Scored(Protocol):
    """What a lane found, with its lanes' scores."""

    @property
    def row(self) -> int: ...

    @property
    def bm25(self) -> float | None: ...

    @property
    def cosine(self) -> float | None: ...


def lanes(found: Scored) -> list[str]:
    """The lanes that found it."""
    return [name for name, score in (("keyword", found.bm25), ("vector", found.cosine)) if score is not None]


@dataclass(frozen=True, slots=True)
class Scale:
    """By which score each lane is divided: that of the best; 0 where the lane found nothing."""

    words: float
    meaning: float

    @property
    def share(self) -> float:
        """What meaning weighs; a lane that is alone has the whole weight."""
        return MEANING if self.words > 0 and self.meaning > 0 else 1.0 if self.meaning > 0 else 0.0

    def of_words(self, found: Scored) -> float:
        """From 0, no word, to 1, the best by words."""
        return (found.bm25 or 0.0) / self.words if self.words > 0 else 0.0

    def of_meaning(self, found: Scored) -> float:
        """From 0, nothing in common, to 1, the nearest."""
        return max(0.0, found.cosine or 0.0) / self.meaning if self.meaning > 0 else 0.0


def scale(found: Sequence[Scored], others: Sequence[Scored] = ()) -> Scale:
    """The scale on which the best of those found stand at 1; in a lane that found none, the best of the others."""
    return Scale(
        _best([one.bm25 for one in found]) or _best([one.bm25 for one in others]),
        _best([one.cosine for one in found]) or _best([one.cosine for one in others]),
    )


def _best(scores: Iterable[float | None]) -> float:
    return max(0.0, max((score for score in scores if score is not None), default=0.0))


def convex(found: Sequence[Scored], on: Scale | None = None) -> dict[int, float]:
    """Scores by row, from 0 to 1 on their own scale: words against the best by words, meaning against the nearest."""
    on = on or scale(found)
    return {one.row: (1 - on.share) * on.of_words(one) + on.share * on.of_meaning(one) for one in found}


def late(found: Sequence[Scored], on: Scale, met: Mapping[int, float]) -> dict[int, float]:
    """Scores by row where the tokens of the question were compared as well (``met``, on a scale to 1 for the best).

    One whose tokens are not known is met as far as its meaning is.
    """
    share = LATE_MEANING if 0 < on.share < 1 else on.share
    return {
        one.row: TOKENS * met.get(one.row, on.of_meaning(one))
        + (1 - TOKENS) * ((1 - share) * on.of_words(one) + share * on.of_meaning(one))
        for one in found
    }


def length_prior(size: int) -> float:
    """1 up to 800 bytes, down to 0.6 at 6,400: a long text meets more words by chance."""
    return 1 - LONG_LOSS * min(1.0, max(0.0, math.log2(max(size, 1) / LONG) / 3))


def own(candidate: Candidate, score: float) -> float:
    """The score of a turn less what length and asking cost."""
    return score * length_prior(candidate.size) * (1 - ASKING_LOSS if candidate.asks else 1)


def surrounded(candidates: Sequence[Candidate], scores: Mapping[int, float]) -> dict[int, float]:
    """The scores less what length and asking cost, with what neighbours and session add."""
    alone = {c.row: own(c, scores[c.row]) for c in candidates}
    lifted = dict(alone)
    best: dict[int, float] = {}
    for c in candidates:
        best[c.session] = max(best.get(c.session, 0.0), alone[c.row])
        if c.before in alone:
            lifted[c.row] += BEFORE * alone[c.before]
            lifted[c.before] += AFTER * alone[c.row]
    return {c.row: lifted[c.row] + SESSION * best[c.session] for c in candidates}


@dataclass(frozen=True, slots=True)
class Ranked:
    """Something that was found, of a kind, with its final score and its time."""

    kind: str
    row: int
    score: float
    at_ms: int


def best(ranked: Iterable[Ranked], most: int) -> list[Ranked]:
    """The ``most`` best, the best first; of equal ones the newest, then the one stored last."""
    return sorted(ranked, key=lambda one: (-round(one.score, 9), -one.at_ms, one.kind, -one.row))[:most]
