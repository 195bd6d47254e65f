"""Forgetting turns: which are meant, what they are, and their removal from every table that holds their words.

What is removed leaves a tombstone. What the files' states tell of it (memd/sources/titles.py) and what free pages hold
of it (memd/tasks/compact.py) goes after it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.text import words as spoken
from memd.text.snippet import snippet
from memd.turns import read, table, tombstones
from memd.turns.read import Record

SHOWN_TURNS = 5
SHOWN_SESSIONS = 20

_ASKED = "(SELECT value FROM json_each(?1))"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which turns: one, those of a session, of rows of sessions, of projects, that hold a text; all given must fit.

    ``turn`` and ``session`` may be an unambiguous beginning of an id. ``last`` leaves out what was stored behind that
    row: what was not seen in a preview.
    """

    turn: str | None = None
    session: str | None = None
    sessions: Sequence[int] | None = None
    projects: Sequence[int] | None = None
    match: str | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A session that lost turns: its row and its project's, what they said, and whether others are left in it."""

    session: str
    row: int
    project: int | None
    texts: Sequence[str]
    left: bool


def find(connection: Connection, wanted: Wanted) -> list[int]:
    """The rows of the turns that are meant; NotFound for a turn or a session that is not there."""
    parts, values = ["1"], list[int | str]()
    if wanted.turn is not None:
        parts.append("t.id = ?")
        values.append(read.turn_id(connection, wanted.turn))
    if wanted.session is not None:
        parts.append("s.key = ?")
        values.append(read.session_key(connection, wanted.session))
    for column, rows in (("s.id", wanted.sessions), ("s.project_id", wanted.projects)):
        if rows is not None:
            parts.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(orjson.dumps(rows).decode())
    if wanted.last is not None:
        parts.append("t.rowid <= ?")
        values.append(wanted.last)
    found = connection.execute(
        f"""SELECT t.rowid, c.text FROM turn t JOIN content c ON c.id = t.content_id
            JOIN session s ON s.id = t.session_id WHERE {" AND ".join(parts)} ORDER BY t.rowid""",
        values,
    )
    return [
        driver.number(row) for row, text in found if wanted.match is None or holds(str(text), wanted.match)
    ]


def older(connection: Connection, before_ms: int, limit: int) -> list[int]:
    """Rows of turns from before a time, so many at most; one without a time is of no age."""
    found = connection.execute(
        "SELECT rowid FROM turn WHERE sort_ms < ? ORDER BY sort_ms LIMIT ?", (before_ms, limit)
    )
    return [driver.number(row) for (row,) in found]


def holds(text: str, match: str) -> bool:
    """True where ``match`` stands in the text, letter by letter, in small letters or large, however they are coded."""
    return _letters(match) in _letters(text)


def _letters(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def words(text: str) -> set[str]:
    """The words of a text; of scripts without spaces, pairs of characters."""
    return set(spoken.words(text))


def preview(connection: Connection, rows: Sequence[int]) -> Record:
    """What the rows are: how many, of which sessions, the first few, and how many turns elsewhere say the same."""
    asked = (orjson.dumps(rows).decode(),)
    first = connection.execute(
        f"""SELECT t.id, t.role, t.at_ms, c.text FROM turn t JOIN content c ON c.id = t.content_id
            WHERE t.rowid IN {_ASKED} ORDER BY t.rowid LIMIT {SHOWN_TURNS}""",
        asked,
    )
    elsewhere = connection.execute(
        f"""SELECT count(*) FROM turn WHERE rowid NOT IN {_ASKED}
              AND content_id IN (SELECT content_id FROM turn WHERE rowid IN {_ASKED})""",
        asked,
    ).get
    sessions = connection.execute(
        f"""SELECT s.key, s.title, p.path, count(*), s.turns - count(*) FROM turn t
            JOIN session s ON s.id = t.session_id LEFT JOIN project p ON p.id = s.project_id
            WHERE t.rowid IN {_ASKED} GROUP BY s.id ORDER BY count(*) DESC, s.key""",
        asked,
    ).fetchall()
    return {
        "turns": len(rows),
        "snippets": [
            {"id": turn, "role": role, "created_at": read.when(at_ms), "text": snippet(str(text), ())}
            for turn, role, at_ms, text in first
        ],
        "sessions_total": len(sessions),
        "sessions": [
            dict(zip(("id", "title", "project", "turns", "left"), row, strict=True))
            for row in sessions[:SHOWN_SESSIONS]
        ],
        "elsewhere": elsewhere,
    }


def ids(connection: Connection, rows: Sequence[int]) -> list[str]:
    """The ids of the turns."""
    asked = (orjson.dumps(rows).decode(),)
    return [
        str(turn) for (turn,) in connection.execute(f"SELECT id FROM turn WHERE rowid IN {_ASKED}", asked)
    ]


def rows_of(connection: Connection, turns: Sequence[str]) -> list[int]:
    """The rows of the turns with these ids, as far as they are there."""
    asked = (orjson.dumps(turns).decode(),)
    found = connection.execute(f"SELECT rowid FROM turn WHERE id IN {_ASKED}", asked)
    return [driver.number(row) for (row,) in found]


def remove(connection: Connection, rows: Sequence[int]) -> list[Lost]:
    """Remove the turns with all that derives from them, and leave tombstones; the sessions that lost some.

    A text that other turns say too stays with them. Sessions without a turn go.
    """
    asked = (orjson.dumps(rows).decode(),)
    gone = connection.execute(
        f"""SELECT t.id, t.content_id, t.session_id, c.text FROM turn t JOIN content c ON c.id = t.content_id
            WHERE t.rowid IN {_ASKED}""",
        asked,
    ).fetchall()
    tombstones.lay(connection, (tombstones.of_turn(str(row[0])) for row in gone))
    fts.remove(connection, rows)
    connection.execute(f"DELETE FROM turn WHERE rowid IN {_ASKED}", asked)
    connection.executemany(
        "DELETE FROM content WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM turn WHERE content_id = ?1)",
        {(row[1],) for row in gone},
    )
    texts: dict[int, list[str]] = {}
    for _, _, session, text in gone:
        texts.setdefault(driver.number(session), []).append(str(text))
    return [_settle(connection, session, said) for session, said in texts.items()]


def _settle(connection: Connection, session: int, texts: Sequence[str]) -> Lost:
    """Count a session anew that lost these texts, or remove it where nothing is left of it."""
    key, project = connection.execute("SELECT key, project_id FROM session WHERE id = ?", (session,)).get
    table.recount(connection, session)
    connection.execute("DELETE FROM session WHERE id = ? AND turns = 0", (session,))
    return Lost(key, session, project, texts, left=not connection.changes())


def tells(connection: Connection, title: str, lost: Lost) -> bool:
    """True of a title with a word that went with the lost turns: none of the session's other turns says it."""
    if not lost.left:
        return True
    unsaid = words(title) & set[str]().union(*map(words, lost.texts))
    for (text,) in connection.execute(
        """SELECT c.text FROM session s JOIN turn t ON t.session_id = s.id JOIN content c ON c.id = t.content_id
           WHERE s.key = ?""",
        (lost.session,),
    ):
        if not unsaid:
            break
        unsaid -= words(str(text))
    return bool(unsaid)
