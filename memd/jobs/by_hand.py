"""What a person does with jobs: retry, cancel, dismiss, one or all that match. The SQL of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.jobs import attempts, table
from memd.jobs.attempts import Ending
from memd.jobs.job import BY_HAND, ENDED, LIVE, Job, State


@dataclass(frozen=True, slots=True)
class Which:
    """One job by its number, or every job of a state, of a kind, of both."""

    job_id: int | None = None
    state: str | None = None
    kind: str | None = None


def retry(connection: Connection, which: Which, now_ms: int) -> list[int]:
    """Put jobs back into the queue, due now and with all their attempts.

    One whose kind is paused is tried once all the same. Left alone is one whose work another live job does already.
    """
    moved = []
    for job in _chosen(connection, which, BY_HAND[State.QUEUED], "put back"):
        if _is_free(connection, job, alone=which.job_id is not None):
            connection.execute(
                "UPDATE job SET state = 'queued', attempts = 0, run_at_ms = ?1, updated_ms = ?1 WHERE id = ?2",
                (now_ms, job.id),
            )
            moved.append(job.id)
    return moved


def _is_free(connection: Connection, job: Job, *, alone: bool) -> bool:
    """Whether no other live job does the same work; BadRequest where the job stands ``alone`` in the request."""
    if job.state in LIVE:
        return True
    other = connection.execute(
        f"SELECT id FROM job WHERE kind = ? AND key = ? AND state IN ({table.LIVE_STATES})",
        (job.kind, job.key),
    ).get
    if other is not None and alone:
        raise BadRequest(f"job {other} does the work of job {job.id} already; dismiss {job.id}")
    return other is None


def cancel(connection: Connection, which: Which, now_ms: int) -> list[int]:
    """Call jobs off, also those that run: their holders find the lease gone."""
    chosen = _chosen(connection, which, BY_HAND[State.CANCELLED], "cancelled")
    for job in chosen:
        connection.execute(
            """UPDATE job SET state = 'cancelled', token = NULL, lease_ms = NULL, in_flight = NULL, updated_ms = ?
               WHERE id = ?""",
            (now_ms, job.id),
        )
        attempts.end(connection, job.id, Ending.CANCELLED, now_ms)
    return [job.id for job in chosen]


def dismiss(connection: Connection, which: Which) -> list[int]:
    """Remove jobs that have ended, with all that is known of them."""
    chosen = _chosen(connection, which, ENDED, "dismissed")
    connection.executemany("DELETE FROM job WHERE id = ?", [(job.id,) for job in chosen])
    return [job.id for job in chosen]


def _chosen(connection: Connection, which: Which, states: Collection[State], done: str) -> list[Job]:
    """The jobs that are meant and may go there; BadRequest where the one that is meant may not."""
    if which.job_id is not None:
        job = table.get(connection, which.job_id)
        if job.state not in states:
            may = ", ".join(sorted(state.value for state in states))
            raise BadRequest(f"job {job.id} is {job.state.value}: only what is {may} can be {done}")
        return [job]
    matching = table.listing(connection, state=which.state, kind=which.kind, limit=-1)
    return [job for job in reversed(matching) if job.state in states]
