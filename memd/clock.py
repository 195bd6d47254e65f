"""Time: a clock that tests can fix, UTC parsing, and periods such as "7d"."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from memd.errors import BadRequest

_PERIOD = re.compile(r"(\d+)\s*(s|m|h|d|w|mo|y)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "mo": 30 * 86400, "y": 365 * 86400}


class Clock(Protocol):
    """What the rest of memd asks for the time."""

    def now_ms(self) -> int:
        """Wall clock, UTC milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever grow; intervals are measured with it."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now_ms: int = 1_790_000_000_000) -> None:
        self._now_ms = now_ms
        self._start_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return (self._now_ms - self._start_ms) / 1000

    def move(self, seconds: float) -> None:
        self._now_ms += int(seconds * 1000)


def iso(ms: int) -> str:
    """UTC milliseconds as ISO 8601 text with a Z."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def parse_when(text: str, now_ms: int) -> int:
    """UTC milliseconds of "7d" (that long ago), a date, or an ISO time (without a zone: UTC)."""
    period = _PERIOD.fullmatch(text.strip().lower())
    try:
        if period:
            return now_ms - int(
                timedelta(seconds=int(period[1]) * _SECONDS[period[2]]).total_seconds() * 1000
            )
        moment = datetime.fromisoformat(text.strip())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise BadRequest(f"{text!r} is no time: use 7d, 12h, 2026-11-30 or 2026-11-30T09:00") from None
