"""The turns of a session that no extraction has read yet, and how far that is. Their SQL.

Turns are read in the order in which they were stored: what comes later stands behind the cursor, wherever it belongs in
the session. What was heard from a shared store is read where it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection
from memd.turns.sharing import OWN

SPOKEN = "t.role IN ('user', 'assistant') AND NOT t.hidden AND t.agent_id IS NULL"
WHEN = "coalesce(t.at_ms, s.started_ms)"
_UNREAD = f"""{SPOKEN} AND {OWN} AND NOT EXISTS
  (SELECT 1 FROM turn_passed_over p WHERE p.turn_id = t.id AND p.why = 'history')"""
_PASSED_OVER = (
    """SELECT 1 FROM turn t JOIN turn_passed_over p ON p.turn_id = t.id WHERE t.session_id = s.id"""
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn as it is read: its row and id, who spoke, and what; ``start`` is where the reading begins in it."""

    row: int
    id: str
    role: str
    at_ms: int | None
    text: str
    start: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    """Turns up to this row are read, and of the next one so many characters."""

    row: int = 0
    chars: int = 0


def cursor(connection: Connection, session: int) -> Cursor:
    """How far a session is read."""
    row = connection.execute(
        "SELECT turn, chars FROM observe_cursor WHERE session_id = ?", (session,)
    ).fetchone()
    return Cursor() if row is None else Cursor(*map(driver.number, row))


def move(connection: Connection, session: int, to: Cursor, now_ms: int) -> None:
    """Note how far it is read now; it never goes back."""
    if to <= cursor(connection, session):
        return
    connection.execute(
        "INSERT OR REPLACE INTO observe_cursor (session_id, turn, chars, at_ms) VALUES (?, ?, ?, ?)",
        (session, to.row, to.chars, now_ms),
    )


def turns(connection: Connection, session: int, limit: int, since_ms: int | None = None) -> list[Spoken]:
    """The next turns of a session, the oldest first; with ``since_ms`` of those that were said since then."""
    at, since = cursor(connection, session), "" if since_ms is None else f" AND {WHEN} >= {since_ms:d}"
    rows = connection.execute(
        f"""SELECT t.rowid, t.id, t.role, t.at_ms, c.text FROM turn t
              JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
            WHERE t.session_id = ? AND t.rowid > ? AND {_UNREAD}{since} ORDER BY t.rowid LIMIT ?""",
        (session, at.row, limit),
    )
    found = [
        Spoken(
            driver.number(row), str(id), str(role), None if at_ms is None else driver.number(at_ms), str(text)
        )
        for row, id, role, at_ms, text in rows
    ]
    return [_begun(found[0], at.chars), *found[1:]] if found and at.chars else found


def sessions(
    connection: Connection,
    which: str,
    values: Sequence[int | str],
    limit: int,
    *,
    since_ms: int | None = None,
    passed_over: bool = False,
) -> list[tuple[int, str, str | None]]:
    """Sessions that have some, by a condition over ``s`` (session): row, id, and the path of the project.

    With ``since_ms`` those of which one was said since then; with ``passed_over`` those too of which one was passed
    over.
    """
    since = "" if since_ms is None else f" AND {WHEN} >= {since_ms:d}"
    also = f" OR EXISTS ({_PASSED_OVER})" if passed_over else ""
    rows = connection.execute(
        f"""SELECT s.id, s.key, p.path FROM session s LEFT JOIN project p ON p.id = s.project_id
              LEFT JOIN observe_cursor o ON o.session_id = s.id
            WHERE {which} AND (EXISTS (SELECT 1 FROM turn t
              WHERE t.session_id = s.id AND t.rowid > coalesce(o.turn, 0) AND {_UNREAD}{since}){also})
            ORDER BY s.last_ms, s.id LIMIT ?""",
        (*values, limit),
    )
    return [(driver.number(row), str(key), None if path is None else str(path)) for row, key, path in rows]


def _begun(one: Spoken, chars: int) -> Spoken:
    return Spoken(one.row, one.id, one.role, one.at_ms, one.text, min(chars, len(one.text)))
