"""Vectors without a model: the words of a text, hashed into the dimensions.

Texts that share words, or words that share letters, are near each other. Made for tests and for machines
that can run nothing more; the same text has the same vector on every machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from memd.providers.embedding import windows
from memd.providers.embedding.base import Floats, Space

SPACE = Space("hash", "words-1", 384)

_WORD = re.compile(r"\w+")
_GRAM = 4
_GRAM_WEIGHT = 0.4


class HashEmbedder:
    """Feature hashing of words and of the letter groups in them."""

    @property
    def space(self) -> Space:
        return SPACE

    @property
    def loaded(self) -> bool:
        return True

    @property
    def tokens(self) -> None:
        return None

    def check(self) -> str:
        return "needs no file"

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        return [self._windows(text) for text in texts]

    def embed_query(self, text: str) -> Floats:
        vector: Floats = self._windows(text)[0]
        vector.setflags(write=False)
        return vector

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        return False

    def release(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def _windows(self, text: str) -> Floats:
        words = _WORD.findall(windows.embeddable(text).lower()) or [windows.embeddable(text)]
        cut = windows.spans(len(words), windows.WINDOW_TOKENS)
        return np.stack([_vector(words[start:end]) for start, end in cut])


def _vector(words: Sequence[str]) -> Floats:
    total = np.zeros(SPACE.dim, dtype=np.float32)
    for word, count in Counter(words).items():
        places, values = _features(word)
        np.add.at(total, places, values * np.float32(1 + np.log(count)))
    length = np.linalg.norm(total)
    if not length:  # all features cancel out; it is near nothing, but has its vector
        return _vector([" ".join(words)])
    unit: Floats = total / np.float32(length)
    return unit


@lru_cache(maxsize=32_768)
def _features(word: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], Floats]:
    framed = f"<{word[:64]}>"
    grams = [framed[start : start + _GRAM] for start in range(len(framed) - _GRAM + 1)]
    hashes = np.array([_hash(part) for part in (word, *grams)], dtype=np.int64)
    weights = np.full(len(hashes), _GRAM_WEIGHT / max(1, len(grams)) ** 0.5, dtype=np.float32)
    weights[0] = 1
    return hashes % SPACE.dim, np.where(hashes >> 31, weights, -weights)


def _hash(part: str) -> int:
    return int.from_bytes(blake2b(part.encode(), digest_size=4).digest())
