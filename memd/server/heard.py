"""What a scope has heard of the graph. The graph is one for all projects and does not say who said what of a thing."""

from __future__ import annotations

from dataclasses import replace

from memd.db.driver import Connection
from memd.graph import table
from memd.graph.entity import Entity
from memd.graph.explore import EgoGraph
from memd.memory import mentions
from memd.memory.which import Which


def narrowed(connection: Connection, graph: EgoGraph, which: Which) -> EgoGraph | None:
    """The neighbourhood with those edges of which entries that are meant mention both ends; None without its centre.

    What was said of an edge may have been said elsewhere, and is left out.
    """
    counts = {one.id: _count(connection, one, which) for one in graph.entities}
    if not counts[graph.centre.id]:
        return None
    known = [replace(one, mentions=counts[one.id]) for one in graph.entities if counts[one.id]]
    edges = [
        replace(edge, context="")
        for edge in graph.relationships
        if counts.get(edge.source_id) and counts.get(edge.target_id)
    ]
    return EgoGraph(known[0], known, edges)


def _count(connection: Connection, one: Entity, which: Which) -> int:
    """How many of the entries mention it, by one of its names."""
    return mentions.of(connection, [one.name, *table.aliases(connection, one.id)], 0, which)[1]
