"""What observations led to, newest first, each with whether reflection has seen it. An insight is no observation."""

from __future__ import annotations

from memd.db.driver import Connection
from memd.memory.entry import MemoryEntry
from memd.memory.table import SELECT, entry_of
from memd.reflection import batch

LIMIT = 100_000
_OBSERVED = "e.type <> 'insight'"


def listing(
    connection: Connection, project: int | None = None, limit: int = LIMIT
) -> list[tuple[MemoryEntry, bool]]:
    """Entries, live or not, the newest id first: of all projects, judged by the watermark of all.

    With a project: global entries and its own, judged by its watermark. Without a watermark none is reflected.
    """
    unread = batch.unread(connection, project)
    rows = connection.execute(
        f"""{SELECT} WHERE {_OBSERVED} AND (?1 IS NULL OR e.project_id IS NULL OR e.project_id = ?1)
            ORDER BY e.id DESC LIMIT ?2""",
        (project, limit),
    )
    return [(entry, not unread(entry.id)) for entry in map(entry_of, rows)]


def projects(connection: Connection) -> list[str]:
    """The names of the projects that observations speak of, by the alphabet."""
    rows = connection.execute(
        f"""SELECT DISTINCT p.name FROM entry e JOIN project p ON p.id = e.project_id WHERE {_OBSERVED}
            ORDER BY p.name COLLATE NOCASE, p.name"""
    )
    return [str(name) for (name,) in rows]
