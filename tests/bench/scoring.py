"""How good an answer is, without a model: where the evidence ranks, and how much of it stands in a context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

RUN = 0.6  # of a turn's words in a row, for it to stand in a text

_WORD = re.compile(r"\w+")


def recall_at(most: int, ranked: Sequence[str], evidence: Sequence[str]) -> float:
    """The share of the evidence among the first turns."""
    return sum(one in ranked[:most] for one in evidence) / len(evidence)


def coverage(text: str, evidence: Iterable[str]) -> float:
    """The share of these texts that stand in the text, whole or with ``RUN`` of their words in a row."""
    spoken = f" {' '.join(_words(text))} "
    found = [_stands(_words(one), spoken) for one in evidence]
    return sum(found) / len(found)


def _stands(words: Sequence[str], spoken: str) -> bool:
    run = max(1, round(RUN * len(words)))
    return any(f" {' '.join(words[at : at + run])} " in spoken for at in range(len(words) - run + 1))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
