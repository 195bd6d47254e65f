"""Looking at the graph: searches, lists and neighbourhoods, each in an order that never changes by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.graph import name as names
from memd.graph import table
from memd.graph.entity import Entity, Relationship

_EDGE = """SELECT r.id, r.source_id, s.name, r.target_id, t.name, r.type, r.context, r.first_seen_ms, r.last_seen_ms
  FROM relationship r JOIN entity s ON s.id = r.source_id JOIN entity t ON t.id = r.target_id"""
_NAMED = """(instr(e.key, :key) > 0 OR EXISTS
  (SELECT 1 FROM entity_alias a WHERE a.entity_id = e.id AND instr(a.key, :key) > 0))"""


@dataclass(frozen=True, slots=True)
class Listed:
    """An entity of a list, and at how many edges it stands."""

    entity: Entity
    degree: int


@dataclass(frozen=True, slots=True)
class EgoGraph:
    """An entity with what it is directly joined to: the entities, the centre first, and every edge at the centre."""

    centre: Entity
    entities: Sequence[Entity]
    relationships: Sequence[Relationship]


def search(connection: Connection, query: str, limit: int = 20) -> list[Entity]:
    """Entities with a name (also a former one) that holds the query, those mentioned most first."""
    return [one.entity for one in listing(connection, query, limit=limit)]


def listing(
    connection: Connection,
    query: str = "",
    *,
    min_mentions: int = 1,
    require_relationship: bool = False,
    limit: int | None = None,
) -> list[Listed]:
    """Entities whose name holds the query, by mentions, then by when they were seen last, the latest first."""
    rows = connection.execute(
        f"""SELECT {table.ENTITY},
              (SELECT count(*) FROM relationship WHERE source_id = e.id)
              + (SELECT count(*) FROM relationship WHERE target_id = e.id AND source_id <> e.id) AS degree
            FROM entity e WHERE (:key = '' OR {_NAMED}) AND e.mentions >= :least AND degree >= :edges
            ORDER BY e.mentions DESC, e.last_seen_ms DESC, e.id LIMIT :limit""",
        {
            "key": names.key(query),
            "least": min_mentions,
            "edges": int(require_relationship),
            "limit": -1 if limit is None else limit,
        },
    )
    return [Listed(table.entity_of(row[:-1]), driver.number(row[-1])) for row in rows]


def relationships(connection: Connection, entity: int) -> list[Relationship]:
    """Every edge at an entity: those that begin there first, then by the names at both ends."""
    rows = connection.execute(
        f"""{_EDGE} WHERE r.source_id = ?1 OR r.target_id = ?1
            ORDER BY r.source_id <> ?1, s.name, r.type, t.name, r.id""",
        (entity,),
    )
    return [_edge_of(row) for row in rows]


def ego_graph(connection: Connection, name: str) -> EgoGraph | None:
    """The neighbourhood of the entity of a name; None where there is none."""
    centre = table.find(connection, name)
    if centre is None:
        return None
    edges = relationships(connection, centre.id)
    neighbours = connection.execute(
        f"""SELECT {table.ENTITY} FROM entity e WHERE e.id <> ?1 AND EXISTS (SELECT 1 FROM relationship r
              WHERE (r.source_id = ?1 AND r.target_id = e.id) OR (r.target_id = ?1 AND r.source_id = e.id))
            ORDER BY e.mentions DESC, e.name COLLATE NOCASE, e.id""",
        (centre.id,),
    )
    return EgoGraph(centre, [centre, *map(table.entity_of, neighbours)], edges)


def counts(connection: Connection) -> dict[str, int]:
    """How many entities and relationships there are."""
    return {
        "entities": int(connection.execute("SELECT count(*) FROM entity").get),
        "relationships": int(connection.execute("SELECT count(*) FROM relationship").get),
    }


def _edge_of(row: Row) -> Relationship:
    return Relationship(
        id=driver.number(row[0]),
        source_id=driver.number(row[1]),
        source=str(row[2]),
        target_id=driver.number(row[3]),
        target=str(row[4]),
        type=str(row[5]),  # type: ignore[arg-type]  # the table's CHECK
        context=str(row[6]),
        first_seen_ms=driver.number(row[7]),
        last_seen_ms=driver.number(row[8]),
    )
