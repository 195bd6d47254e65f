"""How fast a long task works, by its last batches."""

from __future__ import annotations

import time
from collections import deque

BATCHES = 20
STALE_SECONDS = 120.0


class Rate:
    """Fed with every batch; read by whoever wants to know how long the rest will take."""

    def __init__(self) -> None:
        self._batches: deque[tuple[int, float]] = deque(maxlen=BATCHES)
        self._last = 0.0

    def add(self, count: int, seconds: float) -> None:
        """So many were done in so many seconds, just now."""
        self._batches.append((count, seconds))
        self._last = time.monotonic()

    def per_second(self) -> float:
        """How many a second; 0 where nothing was done lately."""
        if not self._batches or time.monotonic() - self._last > STALE_SECONDS:
            return 0.0
        return sum(count for count, _ in self._batches) / max(1e-9, sum(s for _, s in self._batches))
