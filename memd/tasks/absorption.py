"""Absorbing one record: its statements become entries, its things and edges the graph, at the record's own time.

Runs inside a transaction of its caller. An item that cannot be taken is counted, and the others go on; what is the
database's fault is not the item's, and ends the transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import BadRequest, MemdError, NotFound
from memd.graph import forget
from memd.graph import name as names
from memd.graph import table as graph
from memd.graph.entity import EntityType
from memd.memory import writer
from memd.memory.dedup import Thresholds
from memd.memory.entry import EVERYWHERE, Draft, MemoryScope, Source
from memd.memory.meaning import Meaning
from memd.memory.writer import Created, Refreshed
from memd.sources import attribution, observation_table, observation_texts
from memd.sources.extraction import Edge, Extraction, Statement
from memd.sources.observation_table import Stored
from memd.sources.projects import Project


@dataclass(frozen=True, slots=True)
class Prepared:
    """A record with all that must be had before the transaction: what it says and means, and where it was said."""

    record: Stored
    said: Extraction
    project: Project | None = None  # where the record names it by its path
    meanings: Mapping[str, Meaning] = field(default_factory=dict)  # by the place of a statement


def absorb(connection: Connection, one: Prepared, thresholds: Thresholds, now_ms: int) -> Counter[str]:
    """Take in a record, and mark it; what came of it by kind. Nothing where that was done before."""
    if not observation_table.is_waiting(connection, one.record.id):
        return Counter()
    told = Counter(records=1)
    entries = _store_all(connection, one, one.said.statements, thresholds, told)
    dropped = one.said.dropped.copy()
    _join_graph(connection, one, told, dropped)
    told["bad_items"] += one.said.bad
    told["dropped"] += dropped.total()
    observation_table.mark(
        connection, one.record.id, now_ms, entries, bad=told["bad_items"], dropped=dict(dropped)
    )
    return told


def absorb_again(
    connection: Connection, one: Prepared, places: Collection[str], thresholds: Thresholds
) -> Counter[str]:
    """Store those statements of an absorbed record whose entries are gone. The graph has counted it already."""
    told = Counter(records=1)
    lost = [statement for statement in one.said.statements if statement.place in places]
    kept = {place: entry for place, entry in one.record.entries.items() if place not in places}
    made = _store_all(connection, one, lost, thresholds, told)
    observation_table.note_entries(connection, one.record.id, {**kept, **made})
    return told


def _store_all(
    connection: Connection,
    one: Prepared,
    statements: Collection[Statement],
    thresholds: Thresholds,
    told: Counter[str],
) -> dict[str, int]:
    """Store statements; the entry that each led to, by its place."""
    entries: dict[str, int] = {}

    def store(statement: Statement) -> None:
        if forget.is_forgotten(
            connection, observation_texts.of_statement(one.record.project, statement.content)
        ):
            return
        draft = Draft(
            statement.content,
            statement.type,
            statement.importance,
            _scope(connection, one, statement),
            [Source("observation", str(one.record.id))],
        )
        meaning = one.meanings.get(statement.place)
        match writer.store(connection, draft, meaning, one.record.at_ms, thresholds):
            case Created(id):
                entries[statement.place] = id
                told["created"] += 1
            case Refreshed(id):
                entries[statement.place] = id
                told["refreshed"] += 1

    for statement in statements:
        told["bad_items"] += fails(connection, partial(store, statement)) is not None
    return entries


def _scope(connection: Connection, one: Prepared, statement: Statement) -> MemoryScope:
    record = one.record
    if statement.level == "global" or record.project is None:
        return EVERYWHERE
    if one.project is not None:
        project = attribution.remember(connection, record.project, one.project)
    else:
        project = attribution.called(connection, record.project)
    return MemoryScope(project, record.branch if statement.level == "branch" else None)


def _join_graph(connection: Connection, one: Prepared, told: Counter[str], dropped: Counter[str]) -> None:
    """Note what is mentioned. A thing that only edges name is mentioned too: once, and its type is unknown."""
    at_ms, rows = one.record.at_ms, dict[str, int]()

    def see(name: str, type_: EntityType) -> None:
        if forget.is_forgotten(connection, forget.of_name(name)):
            dropped["forgotten"] += 1
            return
        rows[names.key(name)] = graph.upsert_entity(connection, name, type_, at_ms)
        told["mentions"] += 1

    def join(edge: Edge) -> None:
        source, target = rows.get(names.key(edge.source)), rows.get(names.key(edge.target))
        if source is None or target is None:
            return  # what became of its ends is counted
        if source == target:  # two names of one thing
            dropped["loop"] += 1
            return
        told_of = "" if forget.is_forgotten(connection, forget.of_context(edge.context)) else edge.context
        graph.upsert_relationship(connection, source, target, edge.type, told_of, at_ms)
        told["relationships"] += 1

    for thing in one.said.things:
        told["bad_items"] += fails(connection, partial(see, thing.name, thing.type)) is not None
    for edge in one.said.edges:
        for name in (edge.source, edge.target):
            if names.key(name) not in rows:
                told["bad_items"] += fails(connection, partial(see, name, "unknown")) is not None
        told["bad_items"] += fails(connection, partial(join, edge)) is not None


def fails(connection: Connection, work: Callable[[], object]) -> str | None:
    """Do ``work``, or nothing of it where it raises for what it was given: the kind of that error."""
    try:
        with driver.translated(connection), connection:
            work()
    except (BadRequest, NotFound) as error:
        return type(error).__name__
    except MemdError:
        raise
    except Exception as error:
        return type(error).__name__
    return None
