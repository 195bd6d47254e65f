"""The SQL of a table of turns in PostgreSQL: rows in, rows out. The name of the table is a checked one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from memd.turns.store import MemoryItem, Scope
from memd.turns.stores.postgres import words
from memd.turns.stores.postgres.driver import Connection, Row, UniqueViolation, run

COLUMNS = """t.id, t.role, {text}, t.nuls, t.created_at, t.seq, t.user_id, t.agent_id, t.run_id, t.metadata::text,
  t.updated_at"""
WHOLE = COLUMNS.format(text="t.content")
COPIED = """id, role, content, nuls, size, created_at, updated_at, user_id, agent_id, run_id, thread, metadata,
  words"""
LONGEST_ID = 2_000  # bytes, as an index of PostgreSQL holds no longer ones


class Condition(NamedTuple):
    """Which rows are meant, with the values of the clause."""

    where: str
    values: Sequence[object]


def condition(scope: Scope, since: datetime | None = None, until: datetime | None = None) -> Condition:
    """Which turns a scope and a time window mean."""
    ids = (
        ("t.user_id = %s", scope.user_id),
        ("t.agent_id = %s", scope.agent_id),
        ("t.run_id = %s", scope.run_id),
    )
    asked: list[tuple[str, object]] = [(clause, value) for clause, value in ids if value is not None]
    asked += window(since, until)
    return Condition(" AND ".join(clause for clause, _ in asked), [value for _, value in asked])


def window(since: datetime | None, until: datetime | None) -> list[tuple[str, datetime]]:
    """The clauses of a time window, each with its value."""
    asked = (("t.created_at >= %s", since), ("t.created_at < %s", until))
    return [(clause, at) for clause, at in asked if at is not None]


def item(row: Row) -> MemoryItem:
    """The turn in a row of ``COLUMNS``."""
    id, role, text, nuls, created, seq, user, agent, run_id, metadata, updated = row
    assert isinstance(nuls, list) and isinstance(created, datetime) and isinstance(seq, int)
    return MemoryItem(
        id=str(id),
        role=str(role),
        content=with_nuls(str(text), nuls),
        created_at=created.astimezone(UTC),
        seq=seq,
        user_id=name(user),
        agent_id=name(agent),
        run_id=name(run_id),
        metadata=orjson.loads(str(metadata)),
        updated_at=updated.astimezone(UTC) if isinstance(updated, datetime) else None,
    )


def with_nuls(text: str, places: Sequence[int]) -> str:
    """The text with the NULs that PostgreSQL cannot hold at their places again."""
    if not places:
        return text
    characters = list(text)
    for at in places:
        characters.insert(at, "\0")
    return "".join(characters)


def thread(one: MemoryItem) -> bytes:
    """What turns of the same user, agent and run share, short enough for an index."""
    return hashlib.sha256(orjson.dumps([one.user_id, one.agent_id, one.run_id])).digest()


def add(connection: Connection, table: str, items: Sequence[MemoryItem]) -> None:
    """Store turns with their words. ValueError for an id that is there already, or twice among them."""
    if not items:
        return
    ids = [one.id for one in items]
    if taken := known(connection, table, ids) | {id for id, n in Counter(ids).items() if n > 1}:
        raise ValueError(f"there is a turn {min(taken)!r} already; nothing was added")
    rows = [values(one) for one in items]
    try:
        with connection.cursor().copy(f'COPY "{table}" ({COPIED}) FROM STDIN'.encode()) as copy:
            for row in rows:
                copy.write_row(row)
    except UniqueViolation:
        raise ValueError(
            "one of these turns was added by somebody else meanwhile; nothing was added"
        ) from None


def known(connection: Connection, table: str, ids: Sequence[str]) -> set[str]:
    """Those of the ids that are stored."""
    asked = [id for id in ids if "\0" not in id]
    return {str(id) for (id,) in run(connection, f'SELECT id FROM "{table}" WHERE id = ANY(%s)', [asked])}


def values(one: MemoryItem) -> Row:
    for name in ("id", "role", "user_id", "agent_id", "run_id"):
        value = getattr(one, name)
        if value is not None and (len(value.encode()) > LONGEST_ID or "\0" in value):
            raise ValueError(f"{name} is over {LONGEST_ID} bytes, or holds a NUL; nothing was added")
    ids = (one.user_id, one.agent_id, one.run_id)
    return (
        one.id,
        one.role,
        *_text(one.content),
        one.created_at,
        one.updated_at,
        *ids,
        thread(one),
        *_rest(one),
    )


def _text(content: str) -> tuple[str, list[int], int]:
    """A text without its NULs, their places, and its bytes."""
    nuls = [at for at, character in enumerate(content) if character == "\0"] if "\0" in content else []
    return content.replace("\0", ""), nuls, len(content.encode())


def _rest(one: MemoryItem) -> tuple[str, str]:
    return _json(one.metadata), words.vector(one.content)


def _json(metadata: Mapping[str, object]) -> str:
    try:
        return orjson.dumps(dict(metadata)).decode()
    except TypeError as error:
        raise ValueError(f"metadata must be what JSON can hold: {error}") from None


def find(connection: Connection, table: str, which: Condition, columns: str = WHOLE) -> list[MemoryItem]:
    """The turns of a condition, oldest first, ties as they were added."""
    query = f'SELECT {columns} FROM "{table}" t WHERE {which.where} ORDER BY t.created_at, t.seq'
    return [item(row) for row in run(connection, query, which.values)]


def get(connection: Connection, table: str, item_id: str) -> MemoryItem | None:
    """One turn."""
    found = find(connection, table, Condition("t.id = %s", [item_id])) if "\0" not in item_id else []
    return found[0] if found else None


def update(
    connection: Connection,
    table: str,
    item_id: str,
    content: str | None,
    metadata: Mapping[str, object] | None,
) -> None:
    """Give a turn another text or metadata, and note when."""
    changes: dict[str, object] = {"updated_at": datetime.now(UTC)}
    if content is not None:
        text, nuls, size = _text(content)
        changes |= {"content": text, "nuls": nuls, "size": size, "words": words.vector(content)}
    if metadata is not None:
        changes["metadata"] = _json(metadata)
    told = ", ".join(f"{name} = %s{_CAST.get(name, '')}" for name in changes)
    run(connection, f'UPDATE "{table}" SET {told} WHERE id = %s', [*changes.values(), item_id])


_CAST = {"words": "::tsvector", "metadata": "::json", "nuls": "::integer[]"}


def delete(connection: Connection, table: str, which: Condition) -> int:
    """Delete the turns of a condition with their words; how many there were."""
    return run(connection, f'DELETE FROM "{table}" t WHERE {which.where}', which.values).rowcount


def at(connection: Connection, table: str, rows: Iterable[int]) -> dict[int, MemoryItem]:
    """The turns in these rows."""
    return {one.seq: one for one in find(connection, table, Condition("t.seq = ANY(%s)", [list(rows)]))}


def number(value: object) -> int:
    """A number of a row; 0, which no row has, where there is none."""
    return value if isinstance(value, int) else 0


def name(value: object) -> str | None:
    """An id of a row."""
    return None if value is None else str(value)
