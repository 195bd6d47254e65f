"""What a handler says when it returns, and what the registry knows of its kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from memd.db.driver import Connection
from memd.jobs.job import Job
from memd.jobs.retry import Pause, RetryPolicy

Result = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Finished:
    """The job is done, with this result.

    ``effect`` runs in the transaction that ends the job, and only while the lease holds: so it happens exactly once.
    What it returns is added to the result. ``left`` asks, in that transaction, whether more came meanwhile: then the
    handler is called again, so that nothing which coalesced with the job is missed.
    """

    result: Result = field(default_factory=dict)
    effect: Callable[[Connection], Result] | None = None
    left: Callable[[Connection], bool] | None = None


@dataclass(frozen=True, slots=True)
class Later:
    """Nothing can be done now, and it is nobody's fault: the same job again in so many seconds, no attempt counted."""

    seconds: float
    reason: str


Outcome = Finished | Later | Pause
Handler = Callable[[Job], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What the registry knows of a kind of job.

    ``backlog`` says that it works off what stands in the tables, and can be broken off and begun anew at any moment: it
    is not buried for the deaths of memd, and not waited for when memd stops.
    """

    handler: Handler
    lane: str
    policy: RetryPolicy = RetryPolicy()  # noqa: RUF009  # a frozen value
    backlog: bool = False
