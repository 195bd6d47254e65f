"""What the functions of this face hand out: plain dicts, times as ISO text in UTC, a project by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.clock import iso
from memd.db.driver import Connection
from memd.graph.entity import Entity, Relationship
from memd.memory.entry import MemoryEntry
from memd.sources import attribution

Record = dict[str, Any]  # what a caller gets is his to index


def of_entry(entry: MemoryEntry, asked: Mapping[int, str] | None = None) -> Record:
    """An entry; a project that was asked for (its row, and how it was named) keeps that name."""
    row = entry.scope.project
    return {
        "id": entry.id,
        "content": entry.content,
        "entry_type": entry.type,
        "importance": entry.importance,
        "memory_class": entry.memory_class,
        "created_at": iso(entry.created_ms),
        "scope": entry.scope.level,
        "project": (asked or {}).get(row, entry.project_name) if row is not None else None,
        "branch": entry.scope.branch,
        "superseded_by": entry.superseded_by,
        "superseded_at": None if entry.superseded_ms is None else iso(entry.superseded_ms),
    }


def of_entity(entity: Entity) -> Record:
    """An entity."""
    return {
        "id": entity.id,
        "name": entity.name,
        "entity_type": entity.type,
        "first_seen": iso(entity.first_seen_ms),
        "last_seen": iso(entity.last_seen_ms),
        "mention_count": entity.mentions,
    }


def of_relationship(edge: Relationship) -> Record:
    """An edge, with the names at both ends."""
    return {
        "id": edge.id,
        "source_entity_id": edge.source_id,
        "source_name": edge.source,
        "target_entity_id": edge.target_id,
        "target_name": edge.target,
        "relationship_type": edge.type,
        "context": edge.context,
        "first_seen": iso(edge.first_seen_ms),
        "last_seen": iso(edge.last_seen_ms),
    }


def projects(conn: Connection, project: str | None) -> dict[int, str] | None:
    """The rows that a project's name or path means, each with that; None where no project is given."""
    return None if project is None else dict.fromkeys(attribution.named(conn, project), project)


def project(conn: Connection, project: str | None) -> int | None:
    """The row of a project; ValueError where several have the name. One that is not known has no entries: row 0."""
    if project is None:
        return None
    rows = attribution.known_as(conn, project)
    if len(rows) > 1:
        raise ValueError(f"more than one project is called {project}: name its path")
    return rows[0] if rows else 0
