"""Forgetting what the graph holds of a text: entities, aliases and edges go for good, and leave their marks.

A mark is a hash and holds no text. A log does not bring back what has one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.changesets import Key
from memd.db.driver import Connection, Row
from memd.graph import name as names
from memd.ids import derive

Holds = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Meant:
    """What is meant: entities (row, name), aliases (key, name), edges (row, what was said of them)."""

    entities: Sequence[Row]
    aliases: Sequence[Row]
    edges: Sequence[Row]

    def __len__(self) -> int:
        return len(self.entities) + len(self.aliases) + len(self.edges)


NOTHING = Meant((), (), ())


def find(connection: Connection, match: str) -> Meant:
    """What holds a text, letter by letter, in small letters or large."""

    def holds(text: str) -> bool:
        return match.casefold() in text.casefold()

    return _chosen(connection, holds, holds)


def returned(connection: Connection, held: Container[bytes]) -> Meant:
    """What stands there although these marks keep it away."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'entity'").get:
        return NOTHING  # a copy from before there were any
    return _chosen(connection, lambda name: of_name(name) in held, lambda text: of_context(text) in held)


def remove(connection: Connection, meant: Meant) -> list[Key]:
    """Remove it, with what hangs on it, and leave its marks; the rows that went."""
    connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?)", ((mark,) for mark in marks(meant)))
    gone: list[Key] = []
    for entity, _ in meant.entities:
        gone += _remove(connection, driver.number(entity))
    for key, _ in meant.aliases:
        connection.execute("DELETE FROM entity_alias WHERE key = ?", (key,))
        gone.append(("entity_alias", (key,)))
    for edge, _ in meant.edges:
        connection.execute("DELETE FROM relationship WHERE id = ?", (edge,))
        gone.append(("relationship", (edge,)))
    return gone


def marks(meant: Meant) -> list[bytes]:
    """The marks that keep it away."""
    named = {of_name(str(name)) for _, name in (*meant.entities, *meant.aliases)}
    return sorted(named | {of_context(str(context)) for _, context in meant.edges})


def of_name(name: str) -> bytes:
    """The mark of an entity's name, however it is written."""
    return bytes.fromhex(derive("entity", names.key(name)))


def of_context(context: str) -> bytes:
    """The mark of what was said of an edge."""
    return bytes.fromhex(derive("context", context))


def is_forgotten(connection: Connection, mark: bytes) -> bool:
    """True of what has that mark."""
    return connection.execute("SELECT 1 FROM tombstone WHERE key = ?", (mark,)).get is not None


def _chosen(connection: Connection, named: Holds, said: Holds) -> Meant:
    def rows(query: str, holds: Holds) -> list[Row]:
        return [row for row in connection.execute(query).fetchall() if holds(str(row[1]))]

    return Meant(
        rows("SELECT id, name FROM entity ORDER BY id", named),
        rows("SELECT key, name FROM entity_alias ORDER BY key", named),
        rows("SELECT id, context FROM relationship WHERE context <> '' ORDER BY id", said),
    )


def _remove(connection: Connection, entity: int) -> Sequence[Key]:
    """Remove an entity with its aliases and edges."""
    gone: list[Key] = [("entity", (entity,))]
    for (key,) in connection.execute(
        "DELETE FROM entity_alias WHERE entity_id = ? RETURNING key", (entity,)
    ).fetchall():
        gone.append(("entity_alias", (key,)))
    for (edge,) in connection.execute(
        "DELETE FROM relationship WHERE source_id = ?1 OR target_id = ?1 RETURNING id", (entity,)
    ).fetchall():
        gone.append(("relationship", (edge,)))
    connection.execute("DELETE FROM entity WHERE id = ?", (entity,))
    return gone
