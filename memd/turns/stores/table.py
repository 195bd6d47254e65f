"""The SQL of a store of turns: rows in, rows out. Every function takes a connection, and those that write a write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import orjson

from memd.db import driver, fts
from memd.db.driver import Connection, Row, Value
from memd.db.keyword import Filter
from memd.text import words
from memd.turns.store import MemoryItem, Scope

COLUMNS = "t.id, t.role, {text}, t.at_us, t.seq, t.user_id, t.agent_id, t.run_id, t.metadata, t.updated_us"
WHOLE = COLUMNS.format(text="t.content")
_BEGINNING = "0z"  # behind a stem: no word of a text is taken for one
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INSERT = """INSERT INTO turn (id, role, content, size, at_us, updated_us, user_id, agent_id, run_id, metadata)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"""


def microseconds(moment: datetime) -> int:
    """UTC microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(at_us: int) -> datetime:
    """The time that microseconds stand for, in UTC."""
    return _EPOCH + timedelta(microseconds=at_us)


def item(row: Sequence[Value]) -> MemoryItem:
    """The turn in a row of ``COLUMNS``."""
    id, role, text, at_us, seq, user, agent, run, metadata, updated = row
    return MemoryItem(
        id=str(id),
        role=str(role),
        content=str(text),
        created_at=moment(driver.number(at_us)),
        seq=driver.number(seq),
        user_id=None if user is None else str(user),
        agent_id=None if agent is None else str(agent),
        run_id=None if run is None else str(run),
        metadata=orjson.loads(str(metadata)),
        updated_at=None if updated is None else moment(driver.number(updated)),
    )


def condition(scope: Scope, since: datetime | None = None, until: datetime | None = None) -> Filter:
    """Which turns a scope and a time window mean."""
    ids = (
        ("t.user_id = ?", scope.user_id),
        ("t.agent_id = ?", scope.agent_id),
        ("t.run_id = ?", scope.run_id),
    )
    given = [(clause, value) for clause, value in ids if value is not None]
    asked: list[tuple[str, Value]] = [*given, *window(since, until)]
    return Filter(" AND ".join(clause for clause, _ in asked), [value for _, value in asked], narrow=True)


def window(since: datetime | None, until: datetime | None) -> list[tuple[str, int]]:
    """The clauses of a time window, each with its value."""
    asked = (("t.at_us >= ?", since), ("t.at_us < ?", until))
    return [(clause, microseconds(at)) for clause, at in asked if at is not None]


def add(connection: Connection, items: Sequence[MemoryItem]) -> None:
    """Store turns with their words. ValueError for an id that is there already, or twice among them."""
    ids = [one.id for one in items]
    if taken := known(connection, ids) | {id for id, n in Counter(ids).items() if n > 1}:
        raise ValueError(f"there is a turn {min(taken)!r} already; nothing was added")
    rows = [driver.number(connection.execute(_INSERT, _values(one)).get) for one in items]
    _index(connection, zip(rows, (one.content for one in items), strict=True))


def _index(connection: Connection, rows: Iterable[tuple[int, str]]) -> None:
    fts.insert(connection, ((row, sought(text)) for row, text in rows))


def sought(text: str) -> str:
    """A text with the beginnings that its words share with their other forms, by which "allergy" meets "allergic"."""
    return f"{text}\n{' '.join(f'{stem}{_BEGINNING}' for stem in words.stems(text))}"


def known(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of the ids that are stored."""
    query = "SELECT id FROM turn WHERE id IN (SELECT value FROM json_each(?))"
    return {str(id) for (id,) in connection.execute(query, (orjson.dumps(ids).decode(),))}


def _values(one: MemoryItem) -> Row:
    size = len(one.content.encode())
    updated = None if one.updated_at is None else microseconds(one.updated_at)
    ids = (one.user_id, one.agent_id, one.run_id)
    return (
        one.id,
        one.role,
        one.content,
        size,
        microseconds(one.created_at),
        updated,
        *ids,
        _json(one.metadata),
    )


def _json(metadata: Mapping[str, object]) -> str:
    try:
        return orjson.dumps(dict(metadata)).decode()
    except TypeError as error:
        raise ValueError(f"metadata must be what JSON can hold: {error}") from None


def find(connection: Connection, which: Filter, text: str = WHOLE) -> list[MemoryItem]:
    """The turns of a condition, oldest first, ties as they were added."""
    query = f"SELECT {text} FROM turn t WHERE {which.where} ORDER BY t.at_us, t.seq"
    return [item(row) for row in connection.execute(query, tuple(which.values))]


def get(connection: Connection, item_id: str) -> MemoryItem | None:
    """One turn."""
    row = connection.execute(f"SELECT {WHOLE} FROM turn t WHERE t.id = ?", (item_id,)).fetchone()
    return None if row is None else item(row)


def update(
    connection: Connection, item: MemoryItem, content: str | None, metadata: Mapping[str, object] | None
) -> None:
    """Give a turn another text or metadata, and note when."""
    text = item.content if content is None else content
    told = _json(item.metadata if metadata is None else metadata)
    connection.execute(
        "UPDATE turn SET content = ?, size = ?, metadata = ?, updated_us = ? WHERE seq = ?",
        (text, len(text.encode()), told, microseconds(datetime.now(UTC)), item.seq),
    )
    if content is not None:
        fts.remove(connection, [item.seq])
        _index(connection, [(item.seq, text)])


def delete(connection: Connection, which: Filter) -> int:
    """Delete the turns of a condition with their words; how many there were."""
    rows = connection.execute(f"SELECT t.seq FROM turn t WHERE {which.where}", tuple(which.values))
    return _remove(connection, [driver.number(seq) for (seq,) in rows])


def _remove(connection: Connection, rows: Sequence[int]) -> int:
    fts.remove(connection, rows)
    connection.executemany("DELETE FROM turn WHERE seq = ?", ((row,) for row in rows))
    return len(rows)


def at(connection: Connection, rows: Iterable[int]) -> dict[int, MemoryItem]:
    """The turns in these rows."""
    numbers = ",".join(str(int(row)) for row in rows)
    found = connection.execute(f"SELECT {WHOLE} FROM turn t WHERE t.seq IN ({numbers})")
    return {one.seq: one for one in map(item, found)}
