"""opencode's database: sessions, their messages, and the parts of those, each a row with its facts as JSON.

It is opened to read alone, and only the columns that are needed and there are asked for, as bytes: what is no text
is no reason to fail. Sessions of subagents have a parent; what a revert took back stands behind the message it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import HistoryImportError
from memd.importers import lines
from memd.importers.gathering import Gathering, Session, short
from memd.importers.reader import DataFile, Raw
from memd.importers.reasons import Skip
from memd.importers.records import text_of

Json = Mapping[str, object]

MAGIC = b"SQLite format 3\0"
TABLES = frozenset({"session", "message", "part"})

_FACTS = ("parent_id", "title", "directory", "revert")
_PARTS = {
    "reasoning": Skip.THINKING,
    "tool": Skip.TOOL_OUTPUT,
    "file": Skip.ATTACHMENT,
    **dict.fromkeys(
        ("step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction", "subtask"),
        Skip.META,
    ),
}


class _Row(NamedTuple):
    id: str
    made: object
    data: object


def holds(path: Path) -> bool:
    """True where the database is opencode's. HistoryImportError where it cannot be read."""
    with driver.foreign(path) as connection:
        return _tables(connection) >= TABLES


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the sessions; how far the file is read, as its share of the messages, after each."""
    with driver.foreign(Path(file.place)) as connection:
        check(connection)
        every = driver.number(connection.execute("SELECT count(*) FROM message").get) or 1
        for done, _ in enumerate(_sessions(connection, into), 1):
            into.wanted.pulse()
            yield file.size * done // every


def session(connection: Connection, id: str, into: Gathering, start: int) -> Iterator[None]:
    """Gather the messages of one session from a number on; a stop after each."""
    into.session(id)
    wanted = _wanted(connection)
    for facts in connection.execute(f"SELECT {wanted} FROM session WHERE id = ?", (id,)).fetchall():
        yield from _Messages(connection, id, _named(facts), into, start)


def _sessions(connection: Connection, into: Gathering) -> Iterator[None]:
    wanted = _wanted(connection)
    for id, *facts in connection.execute(f"SELECT CAST(id AS BLOB), {wanted} FROM session ORDER BY id"):
        yield from _Messages(connection, text_in(id), _named(facts), into)


def _wanted(connection: Connection) -> str:
    known = columns(connection, "session")
    return ", ".join(f"CAST({name if name in known else 'NULL'} AS BLOB)" for name in _FACTS)


def _named(facts: Iterable[object]) -> dict[str, str]:
    return {name: text_in(fact) for name, fact in zip(_FACTS, facts, strict=True)}


def check(connection: Connection) -> None:
    """HistoryImportError where it is another program's database."""
    if TABLES - _tables(connection):
        raise HistoryImportError("it is no database of opencode's: a table is missing")


def _tables(connection: Connection) -> set[str]:
    return {
        str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }


def columns(connection: Connection, table: str) -> set[str]:
    """The columns that a table has."""
    return {str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def text_in(value: object) -> str:
    """What a column holds of text, whatever its bytes are."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


class _Messages:
    """The messages of one session: going over them gathers their turns."""

    def __init__(
        self, connection: Connection, id: str, facts: Mapping[str, str], into: Gathering, start: int = 0
    ) -> None:
        self._connection, self._id, self._facts, self._into = connection, id, facts, into
        self._start = start
        self._made = {
            table: "time_created" if "time_created" in columns(connection, table) else "NULL"
            for table in ("message", "part")
        }
        revert = self._value(facts["revert"].encode(), f"session {short(id)}") if facts["revert"] else None
        self._left_from = text_of(revert, "messageID") if isinstance(revert, dict) else None

    def __iter__(self) -> Iterator[None]:
        left = False
        for seq, row in enumerate(self._rows("message", "session_id", self._id)):
            left = left or row.id == self._left_from
            if seq < self._start:
                continue
            message = self._value(row.data, f"message {short(row.id)}")
            if isinstance(message, dict):
                self._message(message, row, seq, left)
            yield

    def _message(self, message: Json, row: _Row, seq: int, left: bool) -> None:
        if reason := _left_out(message, bool(self._facts["parent_id"]), left):
            self._into.skip(reason)
            return
        session = self._into.session(self._id)
        session.title, session.cwd = self._facts["title"] or None, self._facts["directory"] or None
        self._turn(message, row, seq, session)

    def _turn(self, message: Json, row: _Row, seq: int, session: Session) -> None:
        words: list[str] = []
        time = message.get("time")
        at = (time.get("created") if isinstance(time, dict) else None) or row.made
        others = 0
        for part_row in self._rows("part", "message_id", row.id):
            part = self._value(part_row.data, f"message {short(row.id)}")
            if not isinstance(part, dict):
                continue
            said, reason = _part(part, self._into.wanted.tool_output)
            if reason:
                others += 1
                self._into.skip(reason)
            elif part.get("type") == "tool":
                others += 1
                self._into.turn(session, "tool", said, seq=seq, id=row.id, time=at, part=part_row.id)
            else:
                words.append(said)
        if words or not others:
            text = "\n\n".join(words)
            self._into.turn(session, str(message["role"]), text, seq=seq, id=row.id, time=at)

    def _rows(self, table: str, key: str, id: str) -> Iterator[_Row]:
        """The rows of the session or message, in order; what is too large is not held."""
        made = self._made[table]
        rows = self._connection.execute(
            f"""SELECT CAST(id AS BLOB), {made}, CASE WHEN length(data) <= ? THEN CAST(data AS BLOB) END
                FROM {table} WHERE {key} = ? ORDER BY {made}, id""",
            (self._into.wanted.limits.max_record_bytes, id),
        )
        for found, at, data in rows:
            yield _Row(text_in(found), at if isinstance(at, int | float) else None, data)

    def _value(self, data: object, name: str) -> object:
        """The JSON of a row of what is named; None where there is none that can be used, which is counted."""
        if isinstance(data, bytes):
            deep = lines.is_too_deep(data, self._into.wanted.limits.max_depth)
            found = Skip.TOO_DEEP if deep else lines.value(data)
        else:
            found = Skip.TOO_LARGE
        return self._into.value(Raw(0, found, 0, name))


def _left_out(message: Json, subagent: bool, left: bool) -> Skip | None:
    if subagent:
        return Skip.SUBAGENT
    if left:
        return Skip.OTHER_BRANCH
    if message.get("role") == "assistant" and message.get("summary") is True:
        return Skip.META  # written for the model, when its context ran full
    return None if message.get("role") in ("user", "assistant") else Skip.UNSUPPORTED


def _part(part: Json, tool_output: bool) -> tuple[str, Skip | None]:
    """The words of a part, or why it has none."""
    kind = text_of(part, "type") or ""
    if kind == "text":
        added = part.get("synthetic") is True or part.get("ignored") is True
        return text_of(part, "text") or "", Skip.META if added else None
    if kind == "tool" and tool_output and isinstance(state := part.get("state"), dict):
        said = text_of(state, "output") or text_of(state, "error")
        return (said, None) if said else ("", Skip.TOOL_OUTPUT)
    return "", _PARTS.get(kind, Skip.UNSUPPORTED)
