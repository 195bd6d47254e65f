"""The attempts of a job: when each began, how and why it ended, when the next was due. Their SQL.

Waits that follow each other for the same reason are one row with a count, so that a job that waits for a model all
night tells it in a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memd.db import driver
from memd.db.driver import Connection

KEPT = 100  # of a job, the newest


class Ending(StrEnum):
    """How an attempt ended."""

    DONE = "done"
    FAILED = "failed"
    WAITED = "waited"  # nothing could be done, and it was nobody's fault
    PAUSED = "paused"  # what it met stops the whole kind
    CANCELLED = "cancelled"
    STOPPED = "stopped"  # memd was stopped; it goes on after the next start
    KILLED = "killed"  # memd ended while it ran
    LOST = "lost"  # its end could not be written down


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, or several waits in a row. ``ending`` is None while it runs."""

    number: int
    started_ms: int
    ended_ms: int | None
    ending: str | None
    reason: str | None
    next_ms: int | None
    times: int


def begin(connection: Connection, job_id: int, now_ms: int) -> None:
    """A job is claimed."""
    number = 1 + driver.number(
        connection.execute("SELECT coalesce(max(number), 0) FROM job_attempt WHERE job_id = ?", (job_id,)).get
    )
    connection.execute(
        "INSERT INTO job_attempt (job_id, number, started_ms) VALUES (?, ?, ?)", (job_id, number, now_ms)
    )
    connection.execute("DELETE FROM job_attempt WHERE job_id = ? AND number <= ?", (job_id, number - KEPT))


def end(
    connection: Connection,
    job_id: int,
    ending: Ending,
    now_ms: int,
    *,
    reason: str | None = None,
    next_ms: int | None = None,
) -> None:
    """The attempt that runs has ended."""
    connection.execute(
        """UPDATE job_attempt SET ended_ms = ?, ending = ?, reason = ?, next_ms = ?
           WHERE job_id = ? AND ended_ms IS NULL""",
        (now_ms, ending.value, reason, next_ms, job_id),
    )
    if ending is Ending.WAITED and connection.changes():
        _fold(connection, job_id)


def _fold(connection: Connection, job_id: int) -> None:
    """Make the newest wait one with the wait before it, if both are for the same reason."""
    rows = connection.execute(
        """SELECT number, ended_ms, ending, reason, next_ms FROM job_attempt WHERE job_id = ?
           ORDER BY number DESC LIMIT 2""",
        (job_id,),
    ).fetchall()
    if len(rows) < 2 or rows[0][2:4] != rows[1][2:4]:
        return
    (newest, ended_ms, _, _, next_ms), (before, *_) = rows
    connection.execute("DELETE FROM job_attempt WHERE job_id = ? AND number = ?", (job_id, newest))
    connection.execute(
        "UPDATE job_attempt SET times = times + 1, ended_ms = ?, next_ms = ? WHERE job_id = ? AND number = ?",
        (ended_ms, next_ms, job_id, before),
    )


def kills(connection: Connection, job_id: int) -> int:
    """How many of the last attempts that ended, without a break, ended with memd."""
    endings = connection.execute(
        "SELECT ending FROM job_attempt WHERE job_id = ? AND ended_ms IS NOT NULL ORDER BY number DESC",
        (job_id,),
    )
    count = 0
    for (ending,) in endings:
        if ending != Ending.KILLED:
            break
        count += 1
    return count


def listing(connection: Connection, job_id: int) -> list[Attempt]:
    """The attempts of a job, oldest first."""
    rows = connection.execute(
        """SELECT number, started_ms, ended_ms, ending, reason, next_ms, times FROM job_attempt
           WHERE job_id = ? ORDER BY number""",
        (job_id,),
    )
    return [Attempt(*row) for row in rows]
