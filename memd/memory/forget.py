"""Tombstones of entries: a text that was forgotten for good, so that no log brings it back.

A tombstone is a hash of type, project and text, and holds none of it.
"""

from __future__ import annotations

from memd.db.driver import Connection
from memd.ids import derive
from memd.memory.dedup import normalised
from memd.memory.entry import Draft


def is_forgotten(connection: Connection, draft: Draft) -> bool:
    """True of a text that was forgotten, under whatever path its project has or had."""
    if connection.execute("SELECT 1 FROM tombstone LIMIT 1").get is None:
        return False
    return any(
        connection.execute("SELECT 1 FROM tombstone WHERE key = ?", (key,)).get
        for key in _keys(connection, draft)
    )


def lift(connection: Connection, draft: Draft) -> None:
    """Let a text be stored again."""
    connection.executemany(
        "DELETE FROM tombstone WHERE key = ?", ((key,) for key in _keys(connection, draft))
    )


def of_entry(type: str, project: str | None, content: str) -> bytes:
    """The tombstone of an entry; ``project`` is its project's path."""
    return bytes.fromhex(derive("entry", type, project or "", normalised(content)))


def _keys(connection: Connection, draft: Draft) -> list[bytes]:
    if draft.scope.project is None:
        return [of_entry(draft.type, None, draft.content)]
    paths = connection.execute(
        "SELECT path FROM project WHERE id = ?1 UNION SELECT path FROM project_alias WHERE project_id = ?1",
        (draft.scope.project,),
    )
    return [of_entry(draft.type, str(path), draft.content) for (path,) in paths]
