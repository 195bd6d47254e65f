"""The SQL of the queue. Each function takes a connection inside a transaction of its caller."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.errors import NotFound
from memd.jobs.job import Job, State, sources

LEASE_MS = 60_000

_COLUMNS = (
    "id, kind, key, lane, state, run_at_ms, attempts, max_attempts, payload, token, error, result"
    ", created_ms, updated_ms"
)


def _job(row: Row) -> Job:
    state, payload, result = State(str(row[4])), row[8], row[11]
    return Job(
        id=int(str(row[0])),
        kind=str(row[1]),
        key=str(row[2]),
        lane=str(row[3]),
        state=state,
        run_at_ms=int(str(row[5])),
        attempts=int(str(row[6])),
        max_attempts=int(str(row[7])),
        payload=json.loads(str(payload)),
        token=None if row[9] is None else str(row[9]),
        error=None if row[10] is None else str(row[10]),
        result=None if result is None else json.loads(str(result)),
        created_ms=int(str(row[12])),
        updated_ms=int(str(row[13])),
    )


def enqueue(
    connection: Connection,
    kind: str,
    key: str,
    *,
    lane: str,
    max_attempts: int,
    now_ms: int,
    payload: Mapping[str, object] | None = None,
    run_at_ms: int | None = None,
) -> int:
    """The id of the live job of (kind, key): a new one, or the one that waits already."""
    connection.execute(
        """INSERT INTO job (kind, key, lane, payload, max_attempts, run_at_ms, created_ms, updated_ms, state)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7,
               CASE WHEN EXISTS (SELECT 1 FROM job_pause WHERE kind = ?1) THEN 'paused' ELSE 'queued' END
           WHERE NOT EXISTS (SELECT 1 FROM job WHERE kind = ?1 AND key = ?2
                             AND state IN ('queued', 'running', 'retry', 'paused'))""",
        (kind, key, lane, json.dumps(payload or {}), max_attempts, run_at_ms or now_ms, now_ms),
    )
    row = connection.execute(
        "SELECT id FROM job WHERE kind = ? AND key = ? AND state IN ('queued', 'running', 'retry', 'paused')",
        (kind, key),
    ).get
    return int(row)


def claim(connection: Connection, lane: str, *, boot: str, now_ms: int) -> Job | None:
    """The job of the lane that has been due longest, now running under a lease of this boot; None where none is due.

    An attempt counts at the claim, so that work which kills memd is set aside in the end.
    """
    row = connection.execute(
        f"""UPDATE job SET state = 'running', lease_ms = ?1, token = ?2, boot = ?3, attempts = attempts + 1,
              updated_ms = ?4
            WHERE id = (SELECT id FROM job WHERE lane = ?5 AND state IN ('queued', 'retry') AND run_at_ms <= ?4
                        ORDER BY run_at_ms, id LIMIT 1)
            RETURNING {_COLUMNS}""",
        (now_ms + LEASE_MS, secrets.token_hex(8), boot, now_ms, lane),
    ).fetchone()
    return _job(row) if row else None


def next_due(connection: Connection, lane: str) -> int | None:
    """When the next job of the lane is due; None where none waits."""
    due = connection.execute(
        "SELECT min(run_at_ms) FROM job WHERE lane = ? AND state IN ('queued', 'retry')", (lane,)
    ).get
    return None if due is None else int(due)


def renew(connection: Connection, job: Job, now_ms: int) -> bool:
    """Hold the lease on; False where the job is no longer ours."""
    connection.execute(
        "UPDATE job SET lease_ms = ? WHERE id = ? AND token = ?", (now_ms + LEASE_MS, job.id, job.token)
    )
    return connection.changes() == 1


def finish(
    connection: Connection, /, job: Job, state: State, now_ms: int, **fields: str | int | None
) -> bool:
    """Move a running job on, if its lease is still ours; a late holder changes nothing.

    ``fields``: run_at_ms, error, result (JSON), attempts.
    """
    sets = "".join(f", {name} = ?" for name in fields)
    connection.execute(
        f"UPDATE job SET state = ?, updated_ms = ?, token = NULL, lease_ms = NULL{sets}"
        " WHERE id = ? AND token = ? AND state = 'running'",
        (state.value, now_ms, *fields.values(), job.id, job.token),
    )
    return connection.changes() == 1


def recover(connection: Connection, *, boot: str, now_ms: int) -> int:
    """Free the jobs of other boots and of ended leases; bury those that have used up their attempts. How many."""
    where = "state = 'running' AND (boot IS NOT ?1 OR lease_ms < ?2)"
    connection.execute(
        f"""UPDATE job SET state = 'dead', updated_ms = ?2, token = NULL,
              error = 'memd ended ' || attempts || ' times while it ran' WHERE {where} AND attempts >= max_attempts""",
        (boot, now_ms),
    )
    buried = connection.changes()
    connection.execute(
        f"UPDATE job SET state = 'queued', updated_ms = ?2, token = NULL, lease_ms = NULL WHERE {where}",
        (boot, now_ms),
    )
    return buried + connection.changes()


def move(connection: Connection, job_id: int, target: State, now_ms: int) -> Job:
    """Retry, cancel or pause by hand; NotFound where there is no such job or it cannot go there."""
    allowed = ", ".join(f"'{state.value}'" for state in sources(target))
    reset = ", attempts = 0, run_at_ms = ?1" if target is State.QUEUED else ""
    row = connection.execute(
        f"UPDATE job SET state = ?2, token = NULL, lease_ms = NULL, updated_ms = ?1{reset}"
        f" WHERE id = ?3 AND state IN ({allowed}) RETURNING {_COLUMNS}",
        (now_ms, target.value, job_id),
    ).fetchone()
    if row is None:
        found = connection.execute("SELECT state FROM job WHERE id = ?", (job_id,)).get
        raise NotFound(f"job {job_id} is {found}" if found else f"there is no job {job_id}")
    return _job(row)


def dismiss(connection: Connection, job_id: int) -> None:
    """Remove a job that has ended."""
    connection.execute("DELETE FROM job WHERE id = ? AND state IN ('dead', 'done', 'cancelled')", (job_id,))
    if not connection.changes():
        raise NotFound(f"there is no ended job {job_id}")


def get(connection: Connection, job_id: int) -> Job:
    """One job; NotFound where there is none."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no job {job_id}")
    return _job(row)


def listing(connection: Connection, *, state: str | None, kind: str | None, limit: int) -> list[Job]:
    """Jobs, newest first."""
    rows = connection.execute(
        f"""SELECT {_COLUMNS} FROM job WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)
            ORDER BY id DESC LIMIT ?3""",
        (state, kind, limit),
    )
    return [_job(row) for row in rows]


def counts(connection: Connection, now_ms: int) -> dict[str, object]:
    """Figures for ``status``: how many in each state, and for how long the oldest has been due."""
    by_state = driver.pairs(connection, "SELECT state, count(*) FROM job GROUP BY state")
    oldest = connection.execute(
        "SELECT min(run_at_ms) FROM job WHERE state IN ('queued', 'retry') AND run_at_ms <= ?", (now_ms,)
    ).get
    figures: dict[str, object] = {
        state.value: by_state.get(state.value, 0)
        for state in (State.QUEUED, State.RUNNING, State.RETRY, State.DEAD)
    }
    figures["paused"] = by_state.get(State.PAUSED.value, 0)
    figures["oldest_due_s"] = None if oldest is None else max(0, (now_ms - int(oldest)) // 1000)
    return figures


def prune(connection: Connection, before_ms: int) -> int:
    """Forget jobs that ended before; dead ones stay until they are dismissed."""
    connection.execute(
        "DELETE FROM job WHERE state IN ('done', 'cancelled') AND updated_ms < ?", (before_ms,)
    )
    return connection.changes()
