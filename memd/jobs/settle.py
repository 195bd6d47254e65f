"""What an attempt came to, written down: one transaction, and nothing of it where the lease is no longer ours."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.jobs import pauses, table
from memd.jobs.attempts import Ending
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished, Later, Outcome
from memd.jobs.retry import Bury, Pause, RetryAfter


@dataclass(frozen=True, slots=True)
class Stopped:
    """memd stops, or somebody called the job off: where it is still ours it waits for the next start."""


Settled = Outcome | RetryAfter | Bury | Stopped


def settle(connection: Connection, job: Job, outcome: Settled, now_ms: int) -> bool:
    """Move the job on; True where its handler shall go on at once, because more came meanwhile."""
    match outcome:
        case Finished():
            return _finish(connection, job, outcome, now_ms)
        case Later(seconds, reason):
            _again(connection, job, Ending.WAITED, reason, now_ms, seconds)
        case RetryAfter(seconds, reason, counted):
            _again(connection, job, Ending.FAILED if counted else Ending.WAITED, reason, now_ms, seconds)
        case Pause(reason, seconds):
            until = None if seconds is None else now_ms + int(seconds * 1000)
            uncounted = job.attempts - 1
            if table.finish(
                connection, job, State.PAUSED, Ending.PAUSED, now_ms, error=reason, attempts=uncounted
            ):
                pauses.pause(connection, job.kind, reason, now_ms, until_ms=until, automatic=True)
        case Bury(reason):
            table.finish(connection, job, State.DEAD, Ending.FAILED, now_ms, error=reason)
        case Stopped():
            table.finish(connection, job, State.QUEUED, Ending.STOPPED, now_ms, attempts=job.attempts - 1)
    return False


def _finish(connection: Connection, job: Job, outcome: Finished, now_ms: int) -> bool:
    if not table.holds(connection, job):
        return False
    if outcome.left and outcome.left(connection):
        return True
    effect = outcome.effect(connection) if outcome.effect else {}
    result = json.dumps({**outcome.result, **effect})
    table.finish(connection, job, State.DONE, Ending.DONE, now_ms, result=result, error=None)
    return False


def _again(
    connection: Connection, job: Job, ending: Ending, reason: str, now_ms: int, seconds: float
) -> None:
    attempts = job.attempts - (ending is Ending.WAITED)
    table.finish(
        connection,
        job,
        State.RETRY,
        ending,
        now_ms,
        error=reason,
        attempts=attempts,
        run_at_ms=now_ms + int(seconds * 1000),
    )
