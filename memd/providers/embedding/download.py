"""Fetching a model from its hub: in the background, one try at a time, and at most one an hour.

A daemon thread, because neither a search nor the program's end may wait for a network that does not answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from memd.clock import Clock
from memd.providers.embedding.base import HOUR_S


class Download:
    """Runs ``fetch`` when asked and due, and says what became of it."""

    def __init__(self, fetch: Callable[[], None], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._last_try: float | None = None
        self._thread: threading.Thread | None = None
        self._error: str | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def due_s(self) -> float:
        """Seconds until the next try is allowed."""
        if self._last_try is None:
            return 0
        return max(0, self._last_try + HOUR_S - self._clock.monotonic())

    def start_if_due(self) -> None:
        """Begin a try in the background, unless one runs or the last is not an hour old."""
        if self.running or self.due_s > 0:
            return
        self._last_try = self._clock.monotonic()
        self._thread = threading.Thread(target=self._run, name="model-download", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> None:
        """Return when no try is running."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def report(self) -> str:
        """What a person is told."""
        if self.running:
            return "it is being downloaded"
        if self._error is None:
            return "it is downloaded when texts are to be embedded"
        return f"the last download failed ({self._error}); next try in {self.due_s / 60:.0f} min"

    def _run(self) -> None:
        try:
            self._fetch()
            self._error = None
        except Exception as error:  # whatever the hub's client raises is only told, and tried again later
            self._error = f"{type(error).__name__}: {error}".splitlines()[0][:200]
