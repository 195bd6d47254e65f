"""Taking a queue over from whoever left it: jobs of other starts, leases that ended, kinds that nobody works on.

Three deaths of memd over one job in a row set it aside: it is dead. Not so a backlog, which is begun anew: its handler
finds out itself which item memd died on, and a death that came from outside is nobody's fault.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memd.db import driver
from memd.db.driver import Connection
from memd.jobs import attempts, pauses
from memd.jobs.attempts import Ending
from memd.jobs.job import State
from memd.jobs.table import LIVE_STATES, OR_PAUSED

DEATHS = 3


def recover(
    connection: Connection,
    *,
    boot: str,
    now_ms: int,
    held: Collection[int] = (),
    backlogs: Collection[str] = (),
) -> int:
    """Free the jobs of other boots and of leases that ended, but for those ``held``; how many."""
    rows = connection.execute(
        "SELECT id, kind, boot FROM job WHERE state = 'running' AND (boot IS NOT ? OR lease_ms < ?)",
        (boot, now_ms),
    ).fetchall()
    lost = [(driver.number(number), kind, of) for number, kind, of in rows if number not in held]
    for number, kind, of in lost:
        _free(connection, number, now_ms, killed=of != boot, backlog=kind in backlogs)
    return len(lost)


def is_overdue(connection: Connection, now_ms: int) -> bool:
    """Whether the lease of a running job has ended, or the time of a pause is over."""
    found = connection.execute(
        """SELECT 1 FROM job WHERE state = 'running' AND lease_ms < ?1
           UNION ALL SELECT 1 FROM job_pause WHERE automatic AND until_ms <= ?1""",
        (now_ms,),
    ).get
    return found is not None


def _free(connection: Connection, job_id: int, now_ms: int, *, killed: bool, backlog: bool) -> None:
    reason = "memd ended while it ran" if killed else "its end could not be written down"
    attempts.end(connection, job_id, Ending.KILLED if killed else Ending.LOST, now_ms, reason=reason)
    deaths = attempts.kills(connection, job_id)
    if deaths >= DEATHS and not backlog:
        state, reason = State.DEAD, f"memd ended {deaths} times while it ran"
    else:
        state = State.QUEUED
    connection.execute(
        f"""UPDATE job SET state = {OR_PAUSED.format("?1")}, updated_ms = ?2, token = NULL, lease_ms = NULL,
              error = ?3, attempts = attempts - ?4, in_flight = CASE WHEN ?5 THEN in_flight END WHERE id = ?6""",
        (state.value, now_ms, reason, backlog, killed, job_id),
    )


def adopt(connection: Connection, lanes: Mapping[str, str], off: Mapping[str, str], now_ms: int) -> None:
    """Take the queue over as it was left: kinds this memd works on go on, each in its lane; the others stand still.

    ``lanes``: the lane of each kind there is; ``off``: why a kind is not worked on, where that is known.
    """
    pauses.lift(connection, lanes, now_ms, due=False)
    _look_again(connection, now_ms)
    connection.executemany("UPDATE job SET lane = ?1 WHERE kind = ?2 AND lane <> ?1", _pairs(lanes))
    kinds = connection.execute(f"SELECT DISTINCT kind FROM job WHERE state IN ({LIVE_STATES})").fetchall()
    for kind in [str(row[0]) for row in kinds if row[0] not in lanes]:
        why = off.get(kind, f"this memd does not know the kind {kind}; another version queued it")
        pauses.pause(connection, kind, why, now_ms, automatic=True)


def _look_again(connection: Connection, now_ms: int) -> None:
    """What waits for something to change is due: the start may come with that, a larger budget or a mended disk say."""
    connection.execute(
        """UPDATE job SET run_at_ms = ?1, updated_ms = ?1 WHERE state = 'retry' AND run_at_ms > ?1 AND ?2 =
             (SELECT ending FROM job_attempt a WHERE a.job_id = job.id ORDER BY a.number DESC LIMIT 1)""",
        (now_ms, Ending.WAITED.value),
    )


def _pairs(lanes: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(lane, kind) for kind, lane in lanes.items()]
