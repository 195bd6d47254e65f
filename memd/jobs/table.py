"""The SQL of the queue. Each function takes a connection inside a transaction of its caller."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence

from memd.db import driver
from memd.db.driver import Connection, Row, Value
from memd.errors import NotFound
from memd.jobs import attempts
from memd.jobs.attempts import Ending
from memd.jobs.job import LIVE, Job, State

LEASE_MS = 60_000
KEPT = 1_000  # done jobs: each time somebody says something there is one

_COLUMNS = (
    "id, kind, key, lane, state, run_at_ms, attempts, max_attempts, payload, token, error, result"
    ", created_ms, updated_ms, in_flight"
)
# A clock that was set back holds nothing up: what was written in the future is due.
_DUE = "(run_at_ms <= {0} OR updated_ms > {0})"
# Of a paused kind nothing waits to be claimed.
OR_PAUSED = (
    "CASE WHEN {0} IN ('queued', 'retry') AND kind IN (SELECT kind FROM job_pause) THEN 'paused' ELSE {0} END"
)


LIVE_STATES = ", ".join(f"'{state.value}'" for state in sorted(LIVE))


def _job(row: Row) -> Job:
    return Job(
        id=driver.number(row[0]),
        kind=str(row[1]),
        key=str(row[2]),
        lane=str(row[3]),
        state=State(str(row[4])),
        run_at_ms=driver.number(row[5]),
        attempts=driver.number(row[6]),
        max_attempts=driver.number(row[7]),
        payload=json.loads(str(row[8])),
        token=None if row[9] is None else str(row[9]),
        error=None if row[10] is None else str(row[10]),
        result=None if row[11] is None else json.loads(str(row[11])),
        created_ms=driver.number(row[12]),
        updated_ms=driver.number(row[13]),
        in_flight=_in_flight(row[14]),
    )


def _in_flight(noted: Value) -> Mapping[str, Sequence[int]]:
    found = {} if noted is None else json.loads(str(noted))
    return {"vector": found} if isinstance(found, list) else found  # a list: of the time before entries


def enqueue(
    connection: Connection,
    kind: str,
    key: str,
    *,
    lane: str,
    max_attempts: int,
    now_ms: int,
    payload: Mapping[str, object] | None = None,
    window_ms: int = 0,
) -> int:
    """The id of the job of (kind, key): the one that lives or was done within the window, else a new one."""
    standing = connection.execute(
        f"""SELECT id FROM job WHERE kind = ?1 AND key = ?2 AND (state IN ({LIVE_STATES})
              OR (state = 'done' AND updated_ms > ?3 AND updated_ms <= ?4)) ORDER BY id DESC LIMIT 1""",
        (kind, key, now_ms - window_ms, now_ms),
    ).get
    if standing is not None:
        return int(standing)
    connection.execute(
        f"""INSERT INTO job (kind, key, lane, payload, max_attempts, run_at_ms, created_ms, updated_ms, state)
              SELECT kind, ?2, ?3, ?4, ?5, ?6, ?6, ?6, {OR_PAUSED.format("'queued'")} FROM (SELECT ?1 AS kind)""",
        (kind, key, lane, json.dumps(payload or {}), max_attempts, now_ms),
    )
    return connection.last_insert_rowid()


def claim(connection: Connection, lane: str, *, boot: str, now_ms: int) -> Job | None:
    """The job of the lane that has been due longest, now running under a lease of this boot; None where none is due.

    An attempt counts at the claim, so that work which kills memd is set aside in the end.
    """
    row = connection.execute(
        f"""UPDATE job SET state = 'running', lease_ms = ?1, token = ?2, boot = ?3, attempts = attempts + 1,
              updated_ms = ?4
            WHERE id = (SELECT id FROM job WHERE lane = ?5 AND state IN ('queued', 'retry') AND {_DUE.format("?4")}
                        ORDER BY run_at_ms, id LIMIT 1)
            RETURNING {_COLUMNS}""",
        (now_ms + LEASE_MS, secrets.token_hex(8), boot, now_ms, lane),
    ).fetchone()
    if row is None:
        return None
    attempts.begin(connection, driver.number(row[0]), now_ms)
    return _job(row)


def next_due(connection: Connection, lane: str, now_ms: int) -> int | None:
    """When the next job of the lane is due; None where none waits."""
    due = connection.execute(
        f"""SELECT min(CASE WHEN {_DUE.format("?2")} THEN ?2 ELSE run_at_ms END) FROM job
            WHERE lane = ?1 AND state IN ('queued', 'retry')""",
        (lane, now_ms),
    ).get
    return None if due is None else int(due)


def holds(connection: Connection, job: Job) -> bool:
    """Whether the lease under which the job was claimed is still the one that counts."""
    found = connection.execute(
        "SELECT 1 FROM job WHERE id = ? AND token = ? AND state = 'running'", (job.id, job.token)
    ).get
    return found is not None


def renew(connection: Connection, jobs: Sequence[Job], now_ms: int) -> list[Job]:
    """Hold the leases on; those of the jobs that are no longer ours."""
    gone = [job for job in jobs if not holds(connection, job)]
    connection.executemany(
        "UPDATE job SET lease_ms = ? WHERE id = ? AND token = ?",
        [(now_ms + LEASE_MS, job.id, job.token) for job in jobs],
    )
    return gone


def note_in_flight(connection: Connection, job: Job, what: Mapping[str, Sequence[int]]) -> None:
    """Write down what the job takes up now: should memd end over it, the next attempt finds it in the job."""
    connection.execute(
        "UPDATE job SET in_flight = ? WHERE id = ? AND token = ?", (json.dumps(what), job.id, job.token)
    )


def finish(
    connection: Connection,
    job: Job,
    state: State,
    ending: Ending,
    now_ms: int,
    /,
    **fields: str | int | None,
) -> bool:
    """Move a running job on, if its lease is still ours; a late holder changes nothing.

    ``fields``: run_at_ms, error, result (JSON), attempts.
    """
    sets = "".join(f", {name} = ?" for name in fields)
    connection.execute(
        f"UPDATE job SET state = {OR_PAUSED.format('?1')}, updated_ms = ?, token = NULL, lease_ms = NULL"
        f", in_flight = NULL{sets} WHERE id = ? AND token = ? AND state = 'running'",
        (state.value, now_ms, *fields.values(), job.id, job.token),
    )
    if connection.changes() != 1:
        return False
    reason, due = fields.get("error"), fields.get("run_at_ms")
    attempts.end(
        connection,
        job.id,
        ending,
        now_ms,
        reason=None if reason is None else str(reason),
        next_ms=None if due is None else int(due),
    )
    return True


def is_live(connection: Connection, kind: str) -> bool:
    """Whether a job of the kind is still to come to its end."""
    found = connection.execute(
        f"SELECT 1 FROM job WHERE kind = ? AND state IN ({LIVE_STATES}) LIMIT 1", (kind,)
    ).get
    return found is not None


def has_ended(connection: Connection, kind: str, key: str, state: State, since_ms: int) -> bool:
    """Whether a job of (kind, key) came to that end since a time."""
    found = connection.execute(
        "SELECT 1 FROM job WHERE kind = ? AND key = ? AND state = ? AND updated_ms >= ? LIMIT 1",
        (kind, key, state.value, since_ms),
    ).get
    return found is not None


def get(connection: Connection, job_id: int) -> Job:
    """One job; NotFound where there is none."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no job {job_id}")
    return _job(row)


def live(connection: Connection, kind: str) -> Job | None:
    """The job of a kind that runs or waits; the running one first."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE kind = ? AND state IN ({LIVE_STATES})"
        " ORDER BY state = 'running' DESC, run_at_ms LIMIT 1",
        (kind,),
    ).fetchone()
    return _job(row) if row else None


def last_done(connection: Connection) -> Job | None:
    """The job that was done last."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE state = 'done' ORDER BY updated_ms DESC LIMIT 1"
    ).fetchone()
    return _job(row) if row else None


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
    told = (State.QUEUED, State.RUNNING, State.RETRY, State.DEAD, State.PAUSED)
    figures: dict[str, object] = {state.value: by_state.get(state.value, 0) for state in told}
    figures["oldest_due_s"] = oldest_due_s(connection, now_ms)
    return figures


def oldest_due_s(connection: Connection, now_ms: int) -> int | None:
    """For how many seconds the job that is due longest has been due; None where none is."""
    oldest = connection.execute(
        "SELECT min(run_at_ms) FROM job WHERE state IN ('queued', 'retry') AND run_at_ms <= ?", (now_ms,)
    ).get
    return None if oldest is None else max(0, (now_ms - int(oldest)) // 1000)


def prune(connection: Connection, before_ms: int) -> int:
    """Forget jobs that ended before, and all but the newest done ones; dead ones stay until they are dismissed."""
    connection.execute(
        """DELETE FROM job WHERE state IN ('done', 'cancelled') AND (updated_ms < ? OR id <=
             (SELECT id FROM job WHERE state = 'done' ORDER BY id DESC LIMIT 1 OFFSET ?))""",
        (before_ms, KEPT),
    )
    return connection.changes()
