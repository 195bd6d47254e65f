"""The vectors of recent questions: a hook asks the same thing many times over."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Vectors = TypeVar("Vectors")


class QueryCache(Generic[Vectors]):
    """Keeps the last ``size`` questions with their vectors, also while the model is not loaded."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str, embed: Callable[[str], Vectors]) -> Vectors:
        """What ``embed`` makes of ``text``, made where it is not known."""
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
                return self._vectors[text]
        vector = embed(text)
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return vector
