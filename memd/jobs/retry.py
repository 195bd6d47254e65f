"""What becomes of a job that failed: try again later, hold its kind, or bury it. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from memd.errors import Busy, MemdError

WAIT_SECONDS = 30.0
_UNKNOWN = Busy()  # an error of others may be over by the next time


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a kind is tried: full jitter in ``min(longest, first * 2 ** attempt)``."""

    max_attempts: int = 5
    first_s: float = 5.0
    longest_s: float = 900.0


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """Try again in so many seconds. Not ``counted``: a part of memd is out of order, the job is not to blame."""

    seconds: float
    reason: str
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Bury:
    """Nothing will change by trying again: the job is dead until somebody revives it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Pause:
    """What was met stops every job of the kind: until a time, else until somebody resumes it or memd starts anew."""

    reason: str
    seconds: float | None = None


def decide(
    error: BaseException, attempts: int, policy: RetryPolicy, *, draw: random.Random
) -> RetryAfter | Bury | Pause:
    """Say what becomes of a job whose ``attempts``-th try ended with ``error``."""
    reason = describe(error)
    if not isinstance(error, MemdError):
        error = _UNKNOWN
    if error.pauses:
        return Pause(reason, error.retry_after_s or None)
    if not error.counted:
        return RetryAfter(max(WAIT_SECONDS, error.retry_after_s), reason, counted=False)
    if not error.transient or attempts >= min(policy.max_attempts, error.most_attempts or attempts + 1):
        return Bury(reason)
    wait = draw.uniform(0, min(policy.longest_s, policy.first_s * 2**attempts))
    return RetryAfter(max(wait, error.retry_after_s), reason)


def describe(error: BaseException) -> str:
    """The error in a line for the queue's list; foreign errors by type alone, since their text may quote data."""
    return error.message if isinstance(error, MemdError) else type(error).__name__
