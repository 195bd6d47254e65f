"""The methods of the graph: entities, entity, entities.merge, relationships. ``undo`` takes a merge back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from memd.clock import iso
from memd.db import journal
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.graph import draw, explore, merge, table
from memd.graph.entity import Entity, Relationship
from memd.memory import mentions
from memd.memory.which import Which
from memd.server import heard, records, scope
from memd.server.dispatch import Call, Method
from memd.server.params import choice, flag, integer, text
from memd.server.records import Record
from memd.services import Services

MENTIONED = 10  # entries that the answer about an entity shows


class Graph:
    """Answers which things were spoken of, and how they hang together."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        name = text()
        listing = {
            "query": text(optional=True),
            "limit": integer(1, 1000, default=30),
            "min_mentions": integer(0, default=1),
            "connected": flag(),
        }
        drawn = {"name": name, "draw": choice(*get_args(draw.Form), optional=True), **scope.FIELDS}
        return {
            "entities": Method(self.entities, listing),
            "entity": Method(self.entity, drawn),
            "entities.merge": Method(self.merge, {"from": name, "into": name}),
            "relationships": Method(self.relationships, {"name": name}),
        }

    async def entities(self, call: Call) -> Mapping[str, object]:
        """Those of which most was said first, and how many there are in all."""
        params = call.params

        def work(connection: Connection) -> Mapping[str, object]:
            found = explore.listing(
                connection,
                params.maybe_text("query") or "",
                min_mentions=params.integer("min_mentions"),
                require_relationship=params.flag("connected"),
                limit=params.integer("limit"),
            )
            listed = [{**_entity(one.entity), "degree": one.degree} for one in found]
            return {"entities": listed, "total": explore.counts(connection)["entities"]}

        return await self._services.db.read(work)

    async def entity(self, call: Call) -> Mapping[str, object]:
        """An entity with what the scope has heard of its neighbourhood, and the live entries that mention it."""
        name, form = call.params.text("name"), call.params.maybe_text("draw")

        def work(connection: Connection) -> Mapping[str, object]:
            where = scope.of(connection, call.params)
            which = Which(projects=where.projects)
            if where.projects is None:
                table.known(connection, name)
            graph = explore.ego_graph(connection, name)
            if graph and where.projects is not None:
                graph = heard.narrowed(connection, graph, which)
            if graph is None:
                raise NotFound(f"nothing in {where.name} mentions {name!r}")
            aliases = table.aliases(connection, graph.centre.id)
            entries, total = mentions.of(connection, [graph.centre.name, *aliases], MENTIONED, which)
            drawing = [drawn(graph) for known, drawn in draw.FORMS.items() if known == form]
            return {
                "entity": {**_entity(graph.centre), "aliases": aliases},
                "entities": [_entity(one) for one in graph.entities],
                "relationships": [_relationship(one) for one in graph.relationships],
                "entries": [records.of_entry(entry) for entry in entries],
                "entries_total": total,
                **({"drawing": drawing[0]} if drawing else {}),
            }

        return await self._services.db.read(work)

    async def merge(self, call: Call) -> Mapping[str, object]:
        """Make two entities one, which answers to both names from then on."""
        one, into, now_ms = call.params.text("from"), call.params.text("into"), self._services.clock.now_ms()

        def work(connection: Connection) -> Mapping[str, object]:
            ids = table.known(connection, one).id, table.known(connection, into).id
            what = f"entities merge {ids[0]} {ids[1]}"
            merged, change = journal.record(
                connection, what, now_ms, lambda: merge.merge(connection, one, into)
            )
            return {
                "target": _entity(merged.target),
                "relationships_repointed": merged.relationships_repointed,
                "relationships_deduplicated": merged.relationships_deduplicated,
                "self_loops_dropped": merged.self_loops_dropped,
                "change": change,
            }

        return await self._services.db.write(work)

    async def relationships(self, call: Call) -> Mapping[str, object]:
        """The edges at an entity, those that go out from it first."""
        name = call.params.text("name")

        def work(connection: Connection) -> Mapping[str, object]:
            entity = table.known(connection, name)
            found = explore.relationships(connection, entity.id)
            return {"entity": _entity(entity), "relationships": [_relationship(one) for one in found]}

        return await self._services.db.read(work)


def _entity(one: Entity) -> Record:
    return {
        "id": one.id,
        "name": one.name,
        "entity_type": one.type,
        "mention_count": one.mentions,
        "first_seen_at": iso(one.first_seen_ms),
        "last_seen_at": iso(one.last_seen_ms),
    }


def _relationship(one: Relationship) -> Record:
    return {
        "id": one.id,
        "source": one.source,
        "relationship_type": one.type,
        "target": one.target,
        "context": one.context,
        "first_seen_at": iso(one.first_seen_ms),
        "last_seen_at": iso(one.last_seen_ms),
    }
