"""What becomes of a job that failed: try again later, or bury it. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from memd.errors import MemdError

WAIT_SECONDS = 30.0


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


def decide(
    error: BaseException, attempts: int, policy: RetryPolicy, *, draw: random.Random
) -> RetryAfter | Bury:
    """Say what becomes of a job whose ``attempts``-th try ended with ``error``."""
    reason = describe(error)
    least = error.retry_after_s if isinstance(error, MemdError) else 0.0
    if isinstance(error, MemdError) and error.code == "degraded":
        return RetryAfter(max(WAIT_SECONDS, least), reason, counted=False)
    transient = error.transient if isinstance(error, MemdError) else True
    if not transient or attempts >= policy.max_attempts:
        return Bury(reason)
    wait = draw.uniform(0, min(policy.longest_s, policy.first_s * 2**attempts))
    return RetryAfter(max(wait, least), reason)


def describe(error: BaseException) -> str:
    """The error in a line for the queue's list; foreign errors by type alone, since their text may quote data."""
    return error.message if isinstance(error, MemdError) else type(error).__name__
