"""Merging a ranking by words with one by meaning, and what a turn gains from its surroundings.

The formula is a convex sum of normalised scores, times a prior for length, plus a part of the neighbours' and of the
session's best score. Neighbours and session lift a rank; they make no hit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MEANING = 0.6
WORDS = 0.4
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


def convex(candidates: Sequence[Candidate], *, floor: float = 0.0) -> dict[int, float]:
    """Scores from 0 to 1 by row: words against the best by words, meaning between ``floor`` and the best by meaning."""
    best_words = max((c.bm25 for c in candidates if c.bm25 is not None), default=0.0)
    best_meaning = max((c.cosine for c in candidates if c.cosine is not None), default=0.0)
    by_words, by_meaning = best_words > 0, best_meaning > floor
    share = MEANING if by_words and by_meaning else 1.0 if by_meaning else 0.0
    scores: dict[int, float] = {}
    for c in candidates:
        words = (c.bm25 or 0.0) / best_words if by_words else 0.0
        meaning = max(0.0, (c.cosine or 0.0) - floor) / (best_meaning - floor) if by_meaning else 0.0
        scores[c.row] = (1 - share) * words + share * meaning
    return scores


def length_prior(size: int) -> float:
    """1 up to 800 bytes, down to 0.6 at 6,400: a long text meets more words by chance."""
    return 1 - LONG_LOSS * min(1.0, max(0.0, math.log2(max(size, 1) / LONG) / 3))


def surrounded(candidates: Sequence[Candidate], scores: Mapping[int, float]) -> dict[int, float]:
    """The scores less what length and asking cost, with what neighbours and session add."""
    own = {
        c.row: scores[c.row] * length_prior(c.size) * (1 - ASKING_LOSS if c.asks else 1) for c in candidates
    }
    lifted = dict(own)
    best: dict[int, float] = {}
    for c in candidates:
        best[c.session] = max(best.get(c.session, 0.0), own[c.row])
        if c.before in own:
            lifted[c.row] += BEFORE * own[c.before]
            lifted[c.before] += AFTER * own[c.row]
    return {c.row: lifted[c.row] + SESSION * best[c.session] for c in candidates}


def best(candidates: Sequence[Candidate], ranked: Mapping[int, float], most: int) -> list[Candidate]:
    """The ``most`` best, the best first; of equal ones the newest, then the one stored last."""
    return sorted(candidates, key=lambda c: (-round(ranked[c.row], 9), -c.at_ms, -c.row))[:most]
