"""opencode's database: sessions, their messages, and the parts of those, each a row with its facts as JSON.

It is opened to read alone, and only the columns that are needed and there are asked for. Sessions of subagents have a
parent; what a revert took back stands behind the message it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import HistoryImportError
from memd.importers import lines
from memd.importers.gathering import Gathering, Session
from memd.importers.reader import DataFile, Raw
from memd.importers.reasons import Skip
from memd.importers.records import text_of

Json = Mapping[str, object]

MAGIC = b"SQLite format 3\0"
TABLES = frozenset({"session", "message", "part"})

_FACTS = ("parent_id", "title", "directory", "revert", "time_created")
_PARTS = {
    "reasoning": Skip.THINKING,
    "tool": Skip.TOOL_OUTPUT,
    "file": Skip.ATTACHMENT,
    **dict.fromkeys(
        ("step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction", "subtask"),
        Skip.META,
    ),
}


def holds(path: Path) -> bool:
    """True where the database is opencode's. HistoryImportError where it cannot be read."""
    with driver.foreign(path) as connection:
        return _tables(connection) >= TABLES


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the sessions; the numbers of those that are read."""
    with driver.foreign(Path(file.place)) as connection:
        if TABLES - _tables(connection):
            raise HistoryImportError("it is no database of opencode's: a table is missing")
        known = _columns(connection, "session")
        wanted = ", ".join(name if name in known else f"NULL AS {name}" for name in _FACTS)
        for number, (id, *facts) in enumerate(
            connection.execute(f"SELECT id, {wanted} FROM session ORDER BY id")
        ):
            if isinstance(id, str):
                yield from _session(connection, id, dict(zip(_FACTS, facts, strict=True)), number, into)
            else:
                into.bad(number)


def _tables(connection: Connection) -> set[str]:
    return {
        str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }


def _columns(connection: Connection, table: str) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def _session(connection: Connection, id: str, facts: Json, number: int, into: Gathering) -> Iterator[int]:
    revert = _value(facts["revert"], number, into) if facts["revert"] else None
    left_from = text_of(revert, "messageID") if isinstance(revert, dict) else None
    left = False
    for seq, (message_id, made, data) in enumerate(_rows(connection, "message", "session_id", id, into)):
        session = into.session(id)
        session.title, session.cwd = text_of(facts, "title"), text_of(facts, "directory")
        message = _value(data, number, into)
        left = left or message_id == left_from
        if not isinstance(message, dict):
            continue
        reason = _left_out(message, facts["parent_id"] is not None, left)
        if reason:
            into.skip(reason)
        else:
            _turn(connection, str(message_id), message, made, seq, session, into)
        yield number


def _rows(
    connection: Connection, table: str, key: str, id: str, into: Gathering
) -> Iterator[tuple[object, object, object]]:
    """Id, time and facts of the rows of a session or message, in order; what is too large is not held."""
    columns = _columns(connection, table)
    made = "time_created" if "time_created" in columns else "NULL"
    rows = connection.execute(
        f"""SELECT id, {made}, CASE WHEN length(data) <= ? THEN data END FROM {table} WHERE {key} = ?
            ORDER BY {made}, id""",
        (into.wanted.limits.max_record_bytes, id),
    )
    yield from rows


def _value(data: object, number: int, into: Gathering) -> object:
    """The JSON of a row; None where there is none that can be used, which is counted."""
    if data is None:
        found: object = Skip.TOO_LARGE
    elif isinstance(data, str | bytes):
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        deep = lines.is_too_deep(raw, into.wanted.limits.max_depth)
        found = Skip.TOO_DEEP if deep else lines.value(raw)
    else:
        found = Skip.UNSUPPORTED
    return into.value(Raw(number, found, number))


def _left_out(message: Json, subagent: bool, left: bool) -> Skip | None:
    if subagent:
        return Skip.SUBAGENT
    if left:
        return Skip.OTHER_BRANCH
    if message.get("role") == "assistant" and message.get("summary") is True:
        return Skip.META  # written for the model, when its context ran full
    return None if message.get("role") in ("user", "assistant") else Skip.UNSUPPORTED


def _turn(
    connection: Connection,
    id: str,
    message: Json,
    made: object,
    seq: int,
    session: Session,
    into: Gathering,
) -> None:
    words: list[str] = []
    time = message.get("time")
    at = (time.get("created") if isinstance(time, dict) else None) or made
    others = 0
    for part_id, _, data in _rows(connection, "part", "message_id", id, into):
        part = _value(data, seq, into)
        if not isinstance(part, dict):
            continue
        said, reason = _part(part, into.wanted.tool_output)
        if reason:
            others += 1
            into.skip(reason)
        elif part.get("type") == "tool":
            others += 1
            into.turn(session, "tool", said, seq=seq, id=id, time=at, part=str(part_id))
        else:
            words.append(said)
    if words or not others:
        into.turn(session, str(message["role"]), "\n\n".join(words), seq=seq, id=id, time=at)


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
