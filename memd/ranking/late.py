"""Late interaction: how well a text meets a question token by token, each token of the question by the nearest of the
text (MaxSim).

A token's vector knows its surroundings, so one that is met tells more than a word in common, and a text that speaks of
much more than is asked for does not blur it. Only signs are compared: floats find no better. Numpy loads with the first
question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]
    Floats = npt.NDArray[np.float32]

MOST_TOKENS = 24  # of a question, those that tell most
BY_CHANCE = 0.3  # of a token's nearest in any text

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a question: its text, where in that each begins, and the signs of its vector."""

    text: str
    starts: Sequence[int]
    signs: Sequence[bytes]
    dim: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The tokens that tell something: the signs of each in a row, and what it weighs; all together 1."""

    signs: Words
    weights: Floats
    dim: int


def asked(tokens: Tokens, worth: Mapping[str, float]) -> Asked | None:
    """The tokens within the words that are worth something; None where there are none."""
    import numpy as np

    weighed = _weighed(tokens, worth)
    heaviest = sorted(weighed, key=lambda at: (-weighed[at], at))[:MOST_TOKENS]
    if not heaviest:
        return None
    signs = words(b"".join([tokens.signs[at] for at in heaviest]), tokens.dim)
    weights = np.array([weighed[at] for at in heaviest], np.float32)
    return Asked(signs, weights / weights.sum(), tokens.dim)


def _weighed(tokens: Tokens, worth: Mapping[str, float]) -> dict[int, float]:
    spoken = [(found.start(), found.end(), found[0].lower()) for found in _WORD.finditer(tokens.text)]
    weighed: dict[int, float] = {}
    for at, start in enumerate(tokens.starts):
        word = next((word for first, end, word in spoken if first <= start < end), None)
        if word is not None and worth.get(word, 0.0) > 0:
            weighed[at] = worth[word]
    return weighed


def rarity(holding: int, texts: int) -> float:
    """What a word is worth that so many of the texts hold."""
    return math.log(1 + texts / (1 + holding))


def words(signs: bytes, dim: int) -> Words:
    """The signs of tokens as rows of 64-bit words; what fills no word is padded."""
    import numpy as np

    rows = np.frombuffer(signs, np.uint8).reshape(-1, (dim + 7) // 8)
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def maxsim(question: Asked, texts: Sequence[bytes]) -> Floats:
    """For each text, given by the signs of its tokens, how well it meets the question: 1 where each is met by its like.

    Of vectors that have nothing in common half of the signs agree: that is 0.
    """
    import numpy as np

    width = (question.dim + 7) // 8
    counts = np.array([len(text) // width for text in texts])
    columns = np.ascontiguousarray(words(b"".join(texts), question.dim).T)
    starts = np.cumsum(counts) - counts
    met = np.zeros(len(texts), np.float32)
    for token, weight in zip(question.signs, question.weights, strict=True):
        differing = np.zeros(columns.shape[1], np.uint16)
        for column, word in zip(columns, token, strict=True):
            differing += np.bitwise_count(column ^ word)
        met += weight * (1 - np.float32(2 / question.dim) * np.minimum.reduceat(differing, starts))
    return met
