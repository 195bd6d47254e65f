"""Watermarks: up to which entry reflection has seen them, of a project (with what holds everywhere) or of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Value

REFLECTED_ON = "e.type <> 'insight'"  # insights are what reflection makes


@dataclass(frozen=True, slots=True)
class Watermark:
    """The last entry that was seen, and when (UTC milliseconds)."""

    entry: int
    at_ms: int


def get(connection: Connection, project: int | None) -> Watermark | None:
    """The watermark of a project, or of all; None where nothing was reflected on yet."""
    row = connection.execute(
        "SELECT entry_id, at_ms FROM watermark WHERE project_id IS ?", (project,)
    ).fetchone()
    return None if row is None else Watermark(driver.number(row[0]), driver.number(row[1]))


def put(connection: Connection, project: int | None, mark: Watermark) -> None:
    """Set it; it may go back, too."""
    connection.execute("DELETE FROM watermark WHERE project_id IS ?", (project,))
    connection.execute(
        "INSERT INTO watermark (project_id, entry_id, at_ms) VALUES (?, ?, ?)",
        (project, mark.entry, mark.at_ms),
    )


def above(connection: Connection, project: int | None) -> list[int]:
    """The live entries that reflection has yet to see, the oldest first."""
    mark = get(connection, project)
    condition, values = _of(project)
    rows = connection.execute(
        f"""SELECT e.id FROM entry e WHERE e.id > ? AND {REFLECTED_ON} AND e.superseded_ms IS NULL
            AND {condition} ORDER BY e.id""",
        (mark.entry if mark else 0, *values),
    )
    return [driver.number(entry) for (entry,) in rows]


def _of(project: int | None) -> tuple[str, Sequence[Value]]:
    return ("1", ()) if project is None else ("(e.project_id IS NULL OR e.project_id = ?)", (project,))
