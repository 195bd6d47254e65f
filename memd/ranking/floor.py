"""How near a text must be to a question to be found without a word in common. Cosines of the bundled model."""

from __future__ import annotations

from collections.abc import Collection

RARE = 5  # a word that so few texts hold is looked for itself

NEAR = 0.25
NEAR_TO_UNKNOWN = 0.42
NEAR_TO_WORD = 0.5
UNREACHED = 2.0


def floor(counts: Collection[int], unknown: int, *, meaning_alone: bool) -> float:
    """The least cosine; ``counts``: how many texts hold each word that is known, ``unknown``: how many words none does.

    What is asked in unknown words needs more.
    """
    terms = len(counts) + unknown
    if not counts:
        return NEAR_TO_UNKNOWN
    if meaning_alone:
        return NEAR
    if terms == 1:
        return UNREACHED if min(counts) <= RARE else NEAR_TO_WORD
    return NEAR_TO_UNKNOWN if unknown * 2 > terms else NEAR
