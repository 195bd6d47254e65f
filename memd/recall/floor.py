"""The floor: whether anything that was found bears on the question at all. Below it nothing is recalled."""

from __future__ import annotations

from collections.abc import Sequence

from memd.recall.history import Found
from memd.recall.question import FAINT
from memd.recall.relevance import Asked
from memd.text import words

# A cosine, for which words in common stand in.
NEAR = 0.35
NEAR_WITH_WORDS = 0.2
WORDS_FOR_NEAR = 0.25
WORDS_ALONE = 0.4

# What a question does with its subject is not its subject.
_ASKING = """
    many much often long decide decided pick picked choose chose chosen keep kept stay agree agreed change changed
    explain describe remember mention discuss discussed talk find get new old thing way kind please
"""
_TELLS_NOTHING = FAINT.union(words.stem(word) for word in _ASKING.split())


def bears(asked: Asked, found: Sequence[Found]) -> bool:
    """Whether anything that was found bears on the question at all."""
    telling = asked.without(_TELLS_NOTHING)
    return any(_bears(telling, one) for one in found)


def _bears(asked: Asked, found: Found) -> bool:
    share = asked.share(found.turn.text)
    if found.meaning is None:
        return share >= WORDS_ALONE
    return found.meaning >= NEAR_WITH_WORDS and found.meaning + WORDS_FOR_NEAR * share >= NEAR
