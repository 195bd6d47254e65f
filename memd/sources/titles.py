"""Titles of sessions where they are kept: in the session's row, and in the states of the files it was read from."""

from __future__ import annotations

from memd.db.driver import Connection
from memd.importers import head
from memd.turns import tombstones
from memd.turns.redact import redact


def of(connection: Connection, session: str) -> list[str]:
    """Every title that memd keeps of a session."""
    row = connection.execute(
        "SELECT title FROM session WHERE key = ? AND title IS NOT NULL", (session,)
    ).fetchone()
    heads = connection.execute("SELECT head FROM file WHERE session = ?", (session,))
    return [*map(str, row or ()), *(title for (packed,) in heads for title in head.titles_in(bytes(packed)))]


def strike(connection: Connection, session: str) -> None:
    """Take every title from a session; it gets none any more, from no import."""
    connection.execute("UPDATE session SET title = NULL WHERE key = ?", (session,))
    heads = connection.execute("SELECT id, head FROM file WHERE session = ?", (session,)).fetchall()
    connection.executemany(
        "UPDATE file SET head = ? WHERE id = ?",
        [(head.without_titles(packed), file) for file, packed in heads if isinstance(packed, bytes)],
    )
    tombstones.lay(connection, [tombstones.of_title(session)])


def redact_again(connection: Connection) -> None:
    """Take out of every title what today's rules of redaction find; a file's state that held it forgets its titles."""
    titled = connection.execute("SELECT id, title FROM session WHERE title IS NOT NULL").fetchall()
    connection.executemany(
        "UPDATE session SET title = ? WHERE id = ?",
        [(clean, row) for row, title in titled if (clean := redact(str(title)).text) != title],
    )
    heads = connection.execute("SELECT id, head FROM file WHERE head <> x''").fetchall()
    connection.executemany(
        "UPDATE file SET head = ? WHERE id = ?",
        [
            (head.without_titles(packed), file)
            for file, packed in heads
            if isinstance(packed, bytes) and any(redact(title).counts for title in head.titles_in(packed))
        ],
    )
