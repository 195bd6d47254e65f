"""The SQL of what a session was handed, so that nothing is put before its model twice.

It holds until the session's context is emptied, and over restarts of memd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.injection.lines import Item

LONGEST_CHAIN = 20  # of sessions that go on from one another


@dataclass(frozen=True, slots=True)
class Context:
    """What stands in the context of a session: its turns and those of the sessions that it goes on from.

    That is since ``emptied_ms`` where the context was emptied. ``items`` are those that it was handed;
    ``is_known``: it was handed a page before, be it one without items.
    """

    sessions: Sequence[str] = ()
    emptied_ms: int | None = None
    items: frozenset[Item] = frozenset()
    is_known: bool = False


NONE = Context()


def context(connection: Connection, session: str) -> Context:
    """What is known of the context of a session."""
    sessions = _chain(connection, session)
    marks = ",".join("?" * len(sessions))
    items = connection.execute(f"SELECT kind, item FROM handed WHERE session IN ({marks})", tuple(sessions))
    known = frozenset(Item(kind, str(item)) for kind, item in items)
    rows = connection.execute(
        f"SELECT key, emptied_ms FROM handed_session WHERE key IN ({marks})", tuple(sessions)
    )
    emptied = {str(key): at_ms for key, at_ms in rows}
    at_ms = emptied.get(session)
    return Context(sessions, None if at_ms is None else int(at_ms), known, bool(emptied))


def _chain(connection: Connection, session: str) -> list[str]:
    """The session, and those that it goes on from."""
    found = {session: None}
    following: str | None = session
    while following is not None and len(found) <= LONGEST_CHAIN:
        found[following] = None
        row = connection.execute("SELECT continues FROM session WHERE key = ?", (following,)).fetchone()
        following = str(row[0]) if row and row[0] is not None and str(row[0]) not in found else None
    return list(found)


def note(connection: Connection, session: str, items: Sequence[Item], at_ms: int) -> None:
    """Write down what a session is handed."""
    _touch(connection, session, at_ms)
    connection.executemany(
        "INSERT OR IGNORE INTO handed VALUES (?, ?, ?)", [(session, one.kind, one.id) for one in items]
    )


def empty(connection: Connection, session: str, at_ms: int) -> None:
    """Note that the context of a session was emptied: what it was handed is gone from it."""
    _touch(connection, session, at_ms)
    connection.execute("UPDATE handed_session SET emptied_ms = ? WHERE key = ?", (at_ms, session))
    connection.execute("DELETE FROM handed WHERE session = ?", (session,))


def _touch(connection: Connection, session: str, at_ms: int) -> None:
    connection.execute(
        "INSERT INTO handed_session (key, at_ms) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET at_ms = ?2",
        (session, at_ms),
    )


def prune(connection: Connection, before_ms: int) -> int:
    """Forget what sessions were handed that were last handed something before that; how many sessions."""
    connection.execute("DELETE FROM handed_session WHERE at_ms < ?", (before_ms,))
    return int(connection.changes())
