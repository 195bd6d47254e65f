"""The SQL of reflections that were done: what each read and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from memd.db.driver import Connection
from memd.reflection import passed_over
from memd.reflection.op import Dropped


def begin(connection: Connection, project: int | None, job: int | None, now_ms: int, entries: int) -> int:
    """Note a reflection that read so many entries; its number."""
    connection.execute(
        """INSERT INTO reflection (project_id, job_id, at_ms, entries, insights, repeated)
           VALUES (?, ?, ?, ?, 0, 0)""",
        (project, job, now_ms, entries),
    )
    return connection.last_insert_rowid()


def end(
    connection: Connection, reflection: int, insights: int, repeated: int, dropped: Sequence[Dropped]
) -> None:
    """Note what came of it: how many insights were new, how many known, what of the reply was dropped."""
    told = json.dumps([asdict(one) for one in dropped])
    connection.execute(
        "UPDATE reflection SET insights = ?, repeated = ?, dropped = ? WHERE id = ?",
        (insights, repeated, told, reflection),
    )


def of_job(connection: Connection, job: int) -> Mapping[str, object]:
    """What came of the reflections of a job, in figures, and which proposals they made."""
    reflections, entries, insights, repeated = connection.execute(
        """SELECT count(*), coalesce(sum(entries), 0), coalesce(sum(insights), 0), coalesce(sum(repeated), 0)
           FROM reflection WHERE job_id = ?""",
        (job,),
    ).get
    proposals = connection.execute(
        "SELECT p.id FROM proposal p JOIN reflection r ON r.id = p.reflection_id WHERE r.job_id = ? ORDER BY p.id",
        (job,),
    )
    applied = connection.execute(
        """SELECT p.id FROM proposal p JOIN reflection r ON r.id = p.reflection_id
             JOIN decision d ON d.proposal_id = p.id AND d.verdict = 'applied' WHERE r.job_id = ? ORDER BY p.id""",
        (job,),
    )
    dropped = connection.execute(
        "SELECT coalesce(sum(json_array_length(dropped)), 0) FROM reflection WHERE job_id = ?", (job,)
    ).get
    return {
        "reflections": reflections,
        "read": entries,
        "insights": insights,
        "repeated": repeated,
        "proposals": [number for (number,) in proposals],
        "applied": [number for (number,) in applied],
        "dropped": dropped,
        "passed_over": passed_over.of_job(connection, job),
    }


def dropped(connection: Connection, reflection: int) -> list[Dropped]:
    """What of its reply was dropped, and why."""
    told = connection.execute("SELECT dropped FROM reflection WHERE id = ?", (reflection,)).get
    return [Dropped(**one) for one in json.loads(str(told or "[]"))]
