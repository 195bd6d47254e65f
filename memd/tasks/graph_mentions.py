"""What a record mentions of the graph. A thing that only edges name is mentioned too: once, and its type is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from memd.db.driver import Connection
from memd.graph import forget
from memd.graph import name as names
from memd.graph import table as graph
from memd.graph.entity import EntityType
from memd.sources.extraction import Edge, Item, Statement, Thing
from memd.tasks.attempt import fails


class Mentions:
    """Of one record, at its time. ``before``: its items that are taken in already.

    ``told`` and ``dropped`` count what comes of the others, by kind and by reason.
    """

    def __init__(
        self,
        connection: Connection,
        at_ms: int,
        before: Sequence[Item],
        told: Counter[str],
        dropped: Counter[str],
    ) -> None:
        self._connection, self._at_ms = connection, at_ms
        self._told, self._dropped = told, dropped
        self._before = {names.key(name) for item in before for name in _named(item)}
        self._rows = dict[str, int]()

    def take(self, item: Thing | Edge) -> int:
        """Note one; how much of it cannot be taken."""
        if isinstance(item, Thing):
            return self._tried(partial(self._see, item.name, item.type))
        ends = [name for name in _named(item) if self._row(name) is None]
        bad = sum(self._tried(partial(self._see, name, "unknown")) for name in ends)
        return bad + self._tried(partial(self._join, item))

    def _tried(self, work: partial[None]) -> int:
        return int(fails(self._connection, work) is not None)

    def _row(self, name: str) -> int | None:
        """The thing that was mentioned by that name, in this record."""
        key = names.key(name)
        if key not in self._rows and key in self._before and (known := graph.find(self._connection, name)):
            self._rows[key] = known.id
        return self._rows.get(key)

    def _see(self, name: str, type_: EntityType) -> None:
        if forget.is_forgotten(self._connection, forget.of_name(name)):
            self._dropped["forgotten"] += 1
            return
        self._rows[names.key(name)] = graph.upsert_entity(self._connection, name, type_, self._at_ms)
        self._told["mentions"] += 1

    def _join(self, edge: Edge) -> None:
        source, target = self._row(edge.source), self._row(edge.target)
        if source is None or target is None:
            return  # what became of its ends is counted
        if source == target:  # two names of one thing
            self._dropped["loop"] += 1
            return
        told_of = (
            "" if forget.is_forgotten(self._connection, forget.of_context(edge.context)) else edge.context
        )
        graph.upsert_relationship(self._connection, source, target, edge.type, told_of, self._at_ms)
        self._told["relationships"] += 1


def _named(item: Item) -> Sequence[str]:
    match item:
        case Statement():
            return ()
        case Thing(name):
            return (name,)
        case Edge(source, target):
            return (source, target)
