"""A model in memory: loaded by the first call that needs it, given back when nobody does.

The lock is held while loading and for counting, never while the model works: calls run side by side.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from memd.providers.embedding import runtime
from memd.providers.embedding.base import ModelUnavailable

Model = TypeVar("Model")


class Resident(Generic[Model]):
    """Holds what ``load`` returns, between its first use and the release."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._load = load
        self._model: Model | None = None
        self._lock = threading.Lock()
        self._running = 0
        self._used = False
        self._idle_since: float | None = None
        self._closed = False

    @property
    def loaded(self) -> bool:
        return self._model is not None

    @contextmanager
    def use(self) -> Iterator[Model]:
        """The model, kept in memory until the block ends."""
        with self._lock:
            self.check_open()
            if self._model is None:
                self._model = self._load()
                runtime.trim()  # loading leaves about 65 MB of freed scratch behind
            model = self._model
            self._running += 1
        try:
            yield model
        finally:
            with self._lock:
                self._running -= 1
                self._used = True
            if self._closed:
                self.release()

    def check_open(self) -> None:
        """Raise if the embedder was closed; long work asks between its batches."""
        if self._closed:
            raise ModelUnavailable("the embedder is closed", "memd is stopping; start it again", retry_s=0)

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        """Release if nothing ran between this call and one at least ``idle_s`` earlier."""
        with self._lock:
            if self._used or self._running or self._idle_since is None:
                self._used = False
                self._idle_since = now
            if now - self._idle_since < idle_s:
                return False
        return self.release()

    def release(self) -> bool:
        """Drop the model and hand its memory back to the system, unless it is at work."""
        with self._lock:
            if self._model is None or self._running:
                return False
            self._model = None
            gc.collect()
            runtime.trim()
            runtime.page_out()
            return True

    def close(self) -> None:
        """Drop the model for good."""
        self._closed = True
        self.release()
