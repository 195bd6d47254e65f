"""Which reflections are worth their price now: of all projects, and of each that has something new of its own."""

from __future__ import annotations

from collections.abc import Sequence

from memd.db import driver
from memd.db.driver import Connection
from memd.memory.which import LIVE
from memd.reflection import batch, watermark


def scopes(connection: Connection, least: int) -> Sequence[int | None]:
    """Those with so many entries to be read: None for all projects, else the row of one."""
    rows = connection.execute(
        f"""SELECT e.project_id, max(e.id) FROM entry e
            WHERE {LIVE} AND e.project_id IS NOT NULL AND e.type <> 'insight' GROUP BY 1 ORDER BY 1"""
    ).fetchall()
    found: list[int | None] = [None] if batch.count(connection, None) >= least else []
    for project, last in ((driver.number(row), driver.number(entry)) for row, entry in rows):
        mark = watermark.get(connection, project)
        if (mark is None or last > mark.entry) and batch.count(connection, project) >= least:
            found.append(project)
    return found
