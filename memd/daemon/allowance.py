"""Processor time that may be used: a store of it for short work, filled up at a rate that long work has to keep to."""

from __future__ import annotations


class Allowance:
    """Seconds of processor time, on a clock that is handed in."""

    def __init__(self, most_s: float) -> None:
        self._most, self._left = most_s, most_s
        self._at: float | None = None

    def take(self, seconds: float, now: float, rate: float) -> None:
        """So much was used, also where there was less left."""
        self._fill(now, rate)
        self._left -= seconds

    def wait(self, now: float, rate: float) -> float:
        """For how many seconds nothing more may be used; 0 where something is left."""
        self._fill(now, rate)
        return max(0.0, -self._left / rate)

    def _fill(self, now: float, rate: float) -> None:
        if self._at is not None:
            self._left = min(self._most, self._left + (now - self._at) * rate)
        self._at = now
