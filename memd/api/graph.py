"""Entities and relationships."""

from __future__ import annotations

from memd.api import storage
from memd.api.records import Record, of_entity, of_relationship
from memd.db.driver import Connection
from memd.graph import entity as vocabulary
from memd.graph import explore, merge, table
from memd.turns.redact import redact


def upsert_entity(conn: Connection, name: str, entity_type: str) -> int:
    """Count a mention of a thing, made where it is new; its id. A type that is not known is ``unknown``."""
    shown, type_ = redact(name).text, vocabulary.entity_type(entity_type)
    return storage.write(
        conn, "upsert_entity", lambda: table.upsert_entity(conn, shown, type_, storage.now_ms())
    )


def upsert_relationship(
    conn: Connection, source_entity_id: int, target_entity_id: int, relationship_type: str, context: str
) -> int:
    """Note an edge between two entities, made where it is new; its id. A type that is not known is ``related_to``."""
    for entity in (source_entity_id, target_entity_id):
        if conn.execute("SELECT 1 FROM entity WHERE id = ?", (entity,)).get is None:
            raise ValueError(f"there is no entity {entity}")
    type_, said = vocabulary.relationship_type(relationship_type), redact(context).text
    return storage.write(
        conn,
        "upsert_relationship",
        lambda: table.upsert_relationship(
            conn, source_entity_id, target_entity_id, type_, said, storage.now_ms()
        ),
    )


def find_entity_by_name(conn: Connection, name: str) -> Record | None:
    """The entity of a name, whatever its case, also of one that was merged into it."""
    found = table.find(conn, name)
    return None if found is None else of_entity(found)


def get_entity_relationships(conn: Connection, entity_id: int) -> list[Record]:
    """Every edge at an entity."""
    return [of_relationship(edge) for edge in explore.relationships(conn, entity_id)]


def search_entities(conn: Connection, query: str, limit: int = 20) -> list[Record]:
    """Entities whose name holds the query, those mentioned most first."""
    return [of_entity(entity) for entity in explore.search(conn, query, limit)]


def list_graph_entities(
    conn: Connection,
    query: str = "",
    *,
    min_mentions: int = 1,
    require_relationship: bool = False,
    limit: int | None = None,
) -> list[Record]:
    """Entities with their ``degree``, by mentions, then by when they were seen last, then by id."""
    found = explore.listing(
        conn, query, min_mentions=min_mentions, require_relationship=require_relationship, limit=limit
    )
    return [{**of_entity(one.entity), "degree": one.degree} for one in found]


def get_ego_graph(conn: Connection, name: str) -> Record | None:
    """An entity with what it is directly joined to; None where there is none of the name."""
    found = explore.ego_graph(conn, name)
    if found is None:
        return None
    return {
        "centre": of_entity(found.centre),
        "entities": [of_entity(entity) for entity in found.entities],
        "relationships": [of_relationship(edge) for edge in found.relationships],
    }


def merge_entities(conn: Connection, source_name: str, target_name: str) -> Record:
    """Fold one entity into another; ValueError where one is not there, or both are the same."""
    merged = storage.write(conn, "merge_entities", lambda: merge.merge(conn, source_name, target_name))
    return {
        "target": of_entity(merged.target),
        "relationships_repointed": merged.relationships_repointed,
        "relationships_deduplicated": merged.relationships_deduplicated,
        "self_loops_dropped": merged.self_loops_dropped,
    }
