"""BM25 over a handful of texts that are at hand, such as the windows of a reply: no index, no state."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

K1 = 1.2
B = 0.5  # windows are of like length


def scores(asked: Mapping[str, float], texts: Sequence[Sequence[str]]) -> list[float]:
    """How well each text (its words) meets the words that are asked for, each with its weight; 0 where none meets."""
    return of_counts(asked, [(Counter(word for word in text if word in asked), len(text)) for text in texts])


def of_counts(asked: Mapping[str, float], texts: Sequence[tuple[Mapping[str, int], int]]) -> list[float]:
    """The same of texts of which it is known how often each holds the words, and how many words it has in all."""
    if not texts:
        return []
    mean = sum(length for _, length in texts) / len(texts) or 1.0
    counts = [found for found, _ in texts]
    weights = {word: weight * rarity(word, counts) for word, weight in asked.items()}
    return [
        sum(weights[word] * _often(n, length / mean) for word, n in found.items()) for found, length in texts
    ]


def rarity(word: str, counts: Sequence[Mapping[str, int]]) -> float:
    """How much a word tells: more the fewer texts hold it, never nothing."""
    holding = sum(1 for found in counts if word in found)
    return math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))


def _often(n: int, length: float) -> float:
    return n * (K1 + 1) / (n + K1 * (1 - B + B * length))
