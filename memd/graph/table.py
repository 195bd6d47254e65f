"""The SQL of the graph: sightings in, entities out. They may come in any order: first seen is the earliest of them."""

from __future__ import annotations

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.errors import BadRequest, NotFound
from memd.graph import name as names
from memd.graph.entity import Entity, EntityType, RelationshipType

ENTITY = "e.id, e.name, e.type, e.mentions, e.first_seen_ms, e.last_seen_ms"


def upsert_entity(
    connection: Connection,
    name: str,
    type_: EntityType,
    at_ms: int,
    *,
    first_seen_ms: int | None = None,
    mentions: int = 1,
) -> int:
    """Note that a thing was mentioned at that time; its row. A type is only taken where none is known.

    A name that was merged into another one stands for that. BadRequest where the name is empty.
    """
    if not (shown := names.shown(name)):
        raise BadRequest("an entity needs a name")
    key, first_ms = names.key(name), at_ms if first_seen_ms is None else first_seen_ms
    known = find(connection, name)
    if known is None:
        connection.execute(
            """INSERT INTO entity (key, name, type, mentions, first_seen_ms, last_seen_ms)
               VALUES (?, ?, ?, ?, ?, ?)""",
            (key, shown, type_, mentions, first_ms, at_ms),
        )
        return connection.last_insert_rowid()
    connection.execute(
        """UPDATE entity SET mentions = mentions + ?2, type = iif(type = 'unknown', ?3, type),
             name = iif(key = ?4 AND ?5 < first_seen_ms, ?6, name),
             first_seen_ms = min(first_seen_ms, ?5), last_seen_ms = max(last_seen_ms, ?7) WHERE id = ?1""",
        (known.id, mentions, type_, key, first_ms, shown, at_ms),
    )
    return known.id


def upsert_relationship(
    connection: Connection,
    source: int,
    target: int,
    type_: RelationshipType,
    context: str,
    at_ms: int,
    *,
    first_seen_ms: int | None = None,
) -> int:
    """Note that an edge was seen at that time; its row. What is said of it is what was said last."""
    connection.execute(
        """INSERT INTO relationship (source_id, target_id, type, context, first_seen_ms, last_seen_ms)
           VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (source_id, target_id, type) DO UPDATE SET
             context = iif(excluded.context <> '' AND (context = '' OR excluded.last_seen_ms >= last_seen_ms),
               excluded.context, context),
             first_seen_ms = min(first_seen_ms, excluded.first_seen_ms),
             last_seen_ms = max(last_seen_ms, excluded.last_seen_ms)""",
        (source, target, type_, context, at_ms if first_seen_ms is None else first_seen_ms, at_ms),
    )
    return driver.number(
        connection.execute(
            "SELECT id FROM relationship WHERE source_id = ? AND target_id = ? AND type = ?",
            (source, target, type_),
        ).get
    )


def find(connection: Connection, name: str) -> Entity | None:
    """The entity of a name, also of one that was merged into it."""
    row = connection.execute(
        f"""SELECT {ENTITY} FROM entity_alias a JOIN entity e ON e.id = a.entity_id WHERE a.key = ?1
            UNION ALL SELECT {ENTITY} FROM entity e WHERE e.key = ?1 LIMIT 1""",
        (names.key(name),),
    ).fetchone()
    return None if row is None else entity_of(row)


def known(connection: Connection, name: str) -> Entity:
    """The entity of a name; NotFound where there is none."""
    found = find(connection, name)
    if found is None:
        raise NotFound(f"memd knows no entity {name!r}; `memctl entities` shows those it knows")
    return found


def get(connection: Connection, entity: int) -> Entity:
    """The entity of a row."""
    [row] = connection.execute(f"SELECT {ENTITY} FROM entity e WHERE e.id = ?", (entity,))
    return entity_of(row)


def aliases(connection: Connection, entity: int) -> list[str]:
    """The other names of an entity."""
    rows = connection.execute(
        "SELECT name FROM entity_alias WHERE entity_id = ? ORDER BY name, key", (entity,)
    )
    return [str(name) for (name,) in rows]


def entity_of(row: Row) -> Entity:
    """The entity that a row of ``ENTITY`` is."""
    return Entity(
        id=driver.number(row[0]),
        name=str(row[1]),
        type=str(row[2]),  # type: ignore[arg-type]  # the table's CHECK
        mentions=driver.number(row[3]),
        first_seen_ms=driver.number(row[4]),
        last_seen_ms=driver.number(row[5]),
    )
