"""Merging two entities that are one thing: everything of the one goes to the other, which answers to both names."""

from __future__ import annotations

from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.graph import table
from memd.graph.entity import Entity


@dataclass(frozen=True, slots=True)
class Merged:
    """The entity that stayed, and what became of the other one's edges."""

    target: Entity
    relationships_repointed: int
    relationships_deduplicated: int
    self_loops_dropped: int


def merge(connection: Connection, source_name: str, target_name: str) -> Merged:
    """Fold one entity into another; NotFound where there is none of a name, BadRequest where both are the same one."""
    source, target = table.known(connection, source_name), table.known(connection, target_name)
    if source.id == target.id:
        raise BadRequest(f"{source_name} is {target.name} already")
    loops = _drop_loops(connection, source.id, target.id)
    repointed, deduplicated = _repoint(connection, source.id, target.id)
    _rename(connection, source.id, target.id)
    connection.execute(
        """UPDATE entity SET mentions = mentions + ?2, type = iif(type = 'unknown', ?3, type),
             first_seen_ms = min(first_seen_ms, ?4), last_seen_ms = max(last_seen_ms, ?5) WHERE id = ?1""",
        (target.id, source.mentions, source.type, source.first_seen_ms, source.last_seen_ms),
    )
    connection.execute("DELETE FROM entity WHERE id = ?", (source.id,))
    return Merged(table.get(connection, target.id), repointed, deduplicated, loops)


def _drop_loops(connection: Connection, source: int, target: int) -> int:
    """Remove the edges that would begin and end at the same entity; how many."""
    connection.execute(
        """DELETE FROM relationship WHERE source_id IN (?1, ?2) AND target_id IN (?1, ?2)
           AND ?1 IN (source_id, target_id)""",
        (source, target),
    )
    return connection.changes()


def _repoint(connection: Connection, source: int, target: int) -> tuple[int, int]:
    """Let the edges of the one be the other's; how many went there, and how many it had already."""
    edges = connection.execute(
        "SELECT id, source_id, target_id FROM relationship WHERE source_id = ?1 OR target_id = ?1", (source,)
    ).fetchall()
    deduplicated = 0
    for edge, begin, end in edges:
        begin, end = (target if one == source else driver.number(one) for one in (begin, end))
        if _join(connection, driver.number(edge), begin, end):
            deduplicated += 1
        else:
            connection.execute(
                "UPDATE relationship SET source_id = ?, target_id = ? WHERE id = ?", (begin, end, edge)
            )
    return len(edges) - deduplicated, deduplicated


def _join(connection: Connection, edge: int, begin: int, end: int) -> bool:
    """Make an edge one with that of its type between these two; False where there is none."""
    connection.execute(
        """UPDATE relationship SET context = iif(relationship.context = '', o.context, relationship.context),
             first_seen_ms = min(relationship.first_seen_ms, o.first_seen_ms),
             last_seen_ms = max(relationship.last_seen_ms, o.last_seen_ms)
           FROM (SELECT type, context, first_seen_ms, last_seen_ms FROM relationship WHERE id = ?1) o
           WHERE relationship.source_id = ?2 AND relationship.target_id = ?3 AND relationship.type = o.type""",
        (edge, begin, end),
    )
    if not connection.changes():
        return False
    connection.execute("DELETE FROM relationship WHERE id = ?", (edge,))
    return True


def _rename(connection: Connection, source: int, target: int) -> None:
    """Remember the name of the one, and its other names, as the other's."""
    connection.execute("UPDATE entity_alias SET entity_id = ? WHERE entity_id = ?", (target, source))
    connection.execute(
        "INSERT INTO entity_alias SELECT key, name, ?2 FROM entity WHERE id = ?1", (source, target)
    )
