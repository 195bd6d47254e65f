"""How turns of a store on a server are ranked by the words of a question, at a cost that is bounded whatever the words.

To rank a turn its words must be read, so the rarest words that few turns hold are ranked alone; where that leaves words
out, the turns that hold all words go first. A word weighs the more the fewer turns hold it, as in BM25.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

RANKED = 500  # turns, the newest that are met, which one question may rank
TOGETHER = 6  # words that must all stand in a turn
TOLD = 12  # words of a question that are looked for, the rarest
ENOUGH = 50
LENGTH = 800.0  # bytes, past which a text counts for less
LONG = 0.5  # how much of a score depends on the length
_AGAIN = 0.64  # what a word that stands there again and again can add to one that stands there once
_LARGE = 1_000_000  # turns, past which no word is rarer


class Sought(NamedTuple):
    """Turns that hold any of the words, or every one: how many there may be, and what each known word weighs."""

    words: Sequence[str]
    every: bool
    expected: int
    weights: Mapping[str, float]


class Index(Protocol):
    """The words of a store's turns."""

    def holding(self, words: Sequence[str]) -> Mapping[str, int]:
        """How many turns hold each word: exact for a rare one, at least ``RANKED`` for any other."""
        ...

    def ranked(self, sought: Sought, limit: int) -> dict[int, float]:
        """The best of the newest ``RANKED`` turns that are sought, each with its score."""
        ...


def best(index: Index, words: Sequence[str], limit: int) -> dict[int, float]:
    """Turns by their seq and their scores (higher is better), at most ``limit`` of each step."""
    held = {word: count for word, count in index.holding(words).items() if count}
    known = dict(sorted(held.items(), key=lambda pair: pair[1])[:TOLD])
    if not known:
        return {}
    weights = {word: _rarity(count) for word, count in known.items()}
    chosen = _affordable(known)
    found: dict[int, float] = {}
    if len(chosen) < len(known):
        rarest = list(known)[:TOGETHER]
        found = index.ranked(Sought(rarest, True, known[rarest[0]], weights), limit)
    if len(chosen) == len(known) or len(found) < min(ENOUGH, limit):
        some = chosen or list(known)[:1]
        found = index.ranked(Sought(some, False, sum(known[word] for word in some), weights), limit) | found
    return found


def score(counts: Mapping[str, int], size: int, sought: Sought) -> float:
    """What a turn is worth by how often it holds each word, and by its bytes."""
    told = sum(
        sought.weights[word] * (1 + _AGAIN * (1 - 1 / count)) for word, count in counts.items() if count
    )
    return told / (1 - LONG + LONG * max(1.0, math.log(1 + size / LENGTH)))


def _affordable(known: Mapping[str, int]) -> list[str]:
    """The rarest words that may be ranked together."""
    chosen: list[str] = []
    left = RANKED
    for word, count in known.items():
        left -= count
        if left < 0:
            break
        chosen.append(word)
    return chosen


def _rarity(count: int) -> float:
    """How much a word tells: more the fewer turns hold it, never nothing."""
    return math.log(1 + _LARGE / (count + 0.5))
