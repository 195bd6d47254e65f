"""Reading what is stored: one turn with its neighbours, sessions, lists, pages of an export. SQL and records alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memd.clock import iso
from memd.db import driver
from memd.db.driver import Connection, Row, Value
from memd.errors import NotFound

Record = dict[str, object]

_TURN = """SELECT t.id, t.uuid, s.key, t.role, c.text, t.at_ms, p.path, p.name, t.branch, t.agent_id, t.hidden, f.path,
  s.format, t.message_id, t.rowid, t.user_id
  FROM turn t JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
  LEFT JOIN project p ON p.id = s.project_id LEFT JOIN file f ON f.id = t.file_id"""


OPENING_CHARS = 400


@dataclass(frozen=True, slots=True)
class Which:
    """Which turns a list is about; None means any."""

    projects: Sequence[int] | None = None
    session: str | None = None
    role: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None


def when(ms: Value) -> str | None:
    """A time of a row as answers have it; None where there is none."""
    return None if ms is None else iso(driver.number(ms))


def _record(row: Row) -> Record:
    return {
        "id": row[0],
        "uuid": row[1],
        "session_id": row[2],
        "role": row[3],
        "text": row[4],
        "created_at": when(row[5]),
        "project": row[6],
        "project_name": row[7],
        "branch": row[8],
        "agent_id": row[9],
        "other_branch": bool(row[10]),
        "path": row[11],
        "format": row[12],
        "message_id": row[13],
    }


def _where(which: Which) -> tuple[str, list[int | str]]:
    parts, values = ["1"], list[int | str]()
    if which.projects is not None:
        parts.append(f"s.project_id IN ({','.join('?' * len(which.projects))})")
        values.extend(which.projects)
    for clause, value in (
        ("s.key = ?", which.session),
        ("t.role = ?", which.role),
        ("t.sort_ms >= ?", which.since_ms),
        ("t.sort_ms < ?", which.until_ms),
    ):
        if value is not None:
            parts.append(clause)
            values.append(value)
    return " AND ".join(parts), values


def turn_id(connection: Connection, beginning: str) -> str:
    """The id of the one turn that begins so; NotFound where there is none, or more than one."""
    return _whole(connection, "turn", "id", beginning)


def begins_a_turn(connection: Connection, beginning: str) -> bool:
    """True where the id of a turn begins so."""
    return bool(_beginning(connection, "turn", "id", beginning))


def session_key(connection: Connection, beginning: str) -> str:
    """The id of the one session that begins so; NotFound where there is none, or more than one."""
    return _whole(connection, "session", "key", beginning)


def project_of_turn(connection: Connection, turn: str) -> int | None:
    """The row of the project that a turn was said in; None where there is none."""
    return _project(
        connection,
        "SELECT s.project_id FROM turn t JOIN session s ON s.id = t.session_id WHERE t.id = ?",
        turn,
    )


def project_of_session(connection: Connection, session: str) -> int | None:
    """The row of the project of a session; None where there is none."""
    return _project(connection, "SELECT project_id FROM session WHERE key = ?", session)


def _project(connection: Connection, query: str, id: str) -> int | None:
    row = connection.execute(query, (id,)).get
    return None if row is None else driver.number(row)


def _beginning(connection: Connection, what: str, column: str, beginning: str) -> list[Row]:
    """The first two that begin so."""
    return connection.execute(
        f"SELECT {column} FROM {what} WHERE {column} >= ?1 AND {column} < ?1 || char(0x10ffff)"
        f" ORDER BY {column} LIMIT 2",
        (beginning,),
    ).fetchall()


def _whole(connection: Connection, what: str, column: str, beginning: str) -> str:
    rows = _beginning(connection, what, column, beginning)
    if not rows or (len(rows) > 1 and rows[0][0] != beginning):
        raise NotFound(
            f"{f'more than one {what} begins' if rows else f'no {what} begins'} with {beginning!r}"
        )
    return str(rows[0][0])


def show(connection: Connection, beginning: str, around: int) -> list[Record]:
    """The turn and so many before and after it in its session; an unambiguous beginning of an id will do."""
    found = turn_id(connection, beginning)
    session, seq = connection.execute("SELECT session_id, seq FROM turn WHERE id = ?", (found,)).get
    before = connection.execute(
        f"SELECT * FROM ({_TURN} WHERE t.session_id = ? AND t.seq <= ? ORDER BY t.seq DESC LIMIT ?) ORDER BY rowid",
        (session, seq, around + 1),
    ).fetchall()
    after = connection.execute(
        f"{_TURN} WHERE t.session_id = ? AND t.seq > ? ORDER BY t.seq LIMIT ?", (session, seq, around)
    ).fetchall()
    return [{**_record(row), "user_id": row[15], "asked": row[0] == found} for row in (*before, *after)]


def session(connection: Connection, key: str, *, limit: int, offset: int) -> Record:
    """One session with a page of its turns in order; an unambiguous beginning of its id will do."""
    whole = session_key(connection, key)
    found = _session(connection.execute(f"{_SESSION} WHERE s.key = ?", (whole,)).get)
    turns = connection.execute(
        f"{_TURN} WHERE s.key = ? ORDER BY t.seq, t.rowid LIMIT ? OFFSET ?", (whole, limit, offset)
    )
    return {**found, "offset": offset, "items": [_record(row) for row in turns]}


_SESSION = """SELECT s.key, s.title, p.path, s.branch, s.started_ms, s.last_ms, s.turns, s.continues, s.format,
  coalesce((SELECT min(missing) FROM file f WHERE f.session = s.key),
    (SELECT f.missing FROM turn t JOIN file f ON f.id = t.file_id WHERE t.session_id = s.id LIMIT 1)), s.cwd, s.user_id
  FROM session s LEFT JOIN project p ON p.id = s.project_id"""


def _session(row: Row) -> Record:
    return {
        "id": row[0],
        "title": row[1],
        "project": row[2],
        "branch": row[3],
        "started_at": when(row[4]),
        "last_at": when(row[5]),
        "turns": row[6],
        "continues": row[7],
        "format": row[8],
        "source": "present" if row[9] == 0 else "missing",
        "cwd": row[10],
        "user_id": row[11],
    }


def sessions(connection: Connection, which: Which, *, limit: int) -> list[Record]:
    """Sessions, the latest first."""
    parts, values = ["s.turns > 0"], list[int | str]()
    if which.projects is not None:
        parts.append(f"s.project_id IN ({','.join('?' * len(which.projects))})")
        values.extend(which.projects)
    for clause, value in (("s.last_ms >= ?", which.since_ms), ("s.started_ms < ?", which.until_ms)):
        if value is not None:
            parts.append(clause)
            values.append(value)
    rows = connection.execute(
        f"{_SESSION} WHERE {' AND '.join(parts)} ORDER BY s.last_ms DESC, s.id DESC LIMIT ?", (*values, limit)
    )
    return [_session(row) for row in rows]


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in brief; one without a title is called by the words with which it began."""

    key: str
    title: str
    branch: str | None
    last_ms: int | None


def last_sessions(
    connection: Connection, projects: Sequence[int] | None, most: int, *, apart_from: Sequence[str] = ()
) -> list[SessionLine]:
    """The last sessions of projects (None: of all) that anybody said something in, the latest first."""
    where, values = "s.turns > 0", list[int | str]()
    if projects is not None:
        where += f" AND s.project_id IN ({','.join('?' * len(projects))})"
        values.extend(projects)
    rows = connection.execute(
        f"""SELECT * FROM (SELECT s.key, coalesce(s.title, (SELECT substr(c.text, 1, {OPENING_CHARS}) FROM turn t
              JOIN content c ON c.id = t.content_id WHERE t.session_id = s.id AND t.role = 'user' AND t.hidden = 0
              AND t.agent_id IS NULL ORDER BY t.seq LIMIT 1)) AS title, s.branch, s.last_ms FROM session s
            WHERE {where} AND s.key NOT IN ({",".join("?" * len(apart_from))})
            ORDER BY s.last_ms DESC, s.id DESC LIMIT ?) WHERE title IS NOT NULL""",
        (*values, *apart_from, most),
    )
    return [SessionLine(*row) for row in rows]


def turns(connection: Connection, which: Which, *, limit: int, offset: int) -> list[Record]:
    """Turns, the latest first."""
    where, values = _where(which)
    rows = connection.execute(
        f"{_TURN} WHERE {where} ORDER BY t.sort_ms DESC, t.rowid DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [_record(row) for row in rows]


def export(
    connection: Connection, which: Which, *, after: int, most_bytes: int
) -> tuple[list[Record], int | None]:
    """A page of all turns in the order they were stored, and where the next one starts (None at the end)."""
    where, values = _where(which)
    page: list[Record] = []
    size = 0
    for row in connection.execute(
        f"{_TURN} WHERE {where} AND t.rowid > ? ORDER BY t.rowid", (*values, after)
    ):
        page.append(_record(row))
        size += 600 + 4 * len(str(row[4]))
        if size >= most_bytes:
            return page, int(str(row[14]))
    return page, None


def projects(connection: Connection) -> list[Record]:
    """The projects, the one with most turns first."""
    aliases: dict[object, list[object]] = {}
    for project, path in connection.execute("SELECT project_id, path FROM project_alias ORDER BY path"):
        aliases.setdefault(project, []).append(path)
    rows = connection.execute(
        """SELECT p.id, p.name, p.path, p.origin, coalesce(sum(s.turns), 0) AS n FROM project p
           LEFT JOIN session s ON s.project_id = p.id GROUP BY p.id ORDER BY n DESC, p.path"""
    )
    names = ("name", "path", "from", "turns")
    return [{**dict(zip(names, row, strict=True)), "aliases": aliases.get(id, [])} for id, *row in rows]


def counts(connection: Connection) -> Record:
    """Figures for ``status`` and ``stats``."""
    one = connection.execute(
        """SELECT (SELECT coalesce(sum(turns), 0) FROM session), (SELECT count(*) FROM session WHERE turns > 0),
             (SELECT count(*) FROM file WHERE id NOT IN
               (SELECT file_id FROM shared_store WHERE file_id IS NOT NULL)), (SELECT count(*) FROM file WHERE missing),
             (SELECT count(*) FROM file WHERE excluded IS NOT NULL), (SELECT coalesce(sum(bad_lines), 0) FROM file),
             (SELECT coalesce(sum(n), 0) FROM redaction), (SELECT count(*) FROM entry)"""
    ).get
    names = (
        "turns",
        "sessions",
        "files",
        "missing_files",
        "excluded_files",
        "bad_lines",
        "redactions",
        "entries",
    )
    formats = driver.pairs(
        connection, "SELECT format, sum(turns) FROM session GROUP BY format HAVING sum(turns)"
    )
    return {**dict(zip(names, one, strict=True)), "formats": formats}


def newest_ms(connection: Connection) -> int | None:
    """The time of the newest turn."""
    newest = connection.execute("SELECT max(sort_ms) FROM turn").get
    return None if newest is None else int(newest)


def tallies(connection: Connection) -> Record:
    """What was passed over in the watched files, by reason, and unknown record types by name."""
    skipped: dict[str, int] = {}
    unknown: dict[str, int] = {}
    for skips, names in connection.execute(
        "SELECT skipped, unknown FROM file WHERE skipped <> '{}' OR unknown <> '{}'"
    ):
        for into, text in ((skipped, skips), (unknown, names)):
            for name, n in json.loads(text).items():
                into[name] = into.get(name, 0) + n
    roles = driver.pairs(connection, "SELECT role, count(*) FROM turn GROUP BY role")
    kinds = driver.pairs(connection, "SELECT kind, n FROM redaction")
    hidden = connection.execute("SELECT count(*) FROM turn WHERE hidden").get
    return {
        "skipped": skipped,
        "unknown": unknown,
        "roles": roles,
        "redactions": kinds,
        "other_branch": hidden,
    }
