"""The stored turns of one file of another program: to tell which of them it took back."""

from __future__ import annotations

from memd.db.driver import Connection


def between(connection: Connection, path: str, first: int, last: int) -> list[str]:
    """The turns of a file that stand in it from one offset up to another."""
    rows = connection.execute(
        """SELECT t.id FROM file f JOIN turn t ON t.file_id = f.id
           WHERE f.path = ? AND t.seq >= ? AND t.seq < ?""",
        (path, first, last),
    )
    return [str(turn) for (turn,) in rows]


def said(connection: Connection, path: str, session: str) -> list[str]:
    """The turns of a session that a file holds, but for what tools said and what was taken back."""
    rows = connection.execute(
        """SELECT t.id FROM session s JOIN turn t ON t.session_id = s.id JOIN file f ON f.id = t.file_id
           WHERE f.path = ? AND s.key = ? AND t.role <> 'tool' AND NOT t.hidden""",
        (path, session),
    )
    return [str(turn) for (turn,) in rows]
