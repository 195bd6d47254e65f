"""Absorbing one record: its statements become entries, its things and edges the graph, at the record's own time.

Runs inside a transaction of its caller, and says where it stopped when the time for it was over. An item that cannot
be taken is counted, and the others go on; what is the database's fault is not the item's, and ends the transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from memd.db.driver import Connection
from memd.graph import forget
from memd.memory import writer
from memd.memory.dedup import Thresholds
from memd.memory.entry import EVERYWHERE, Draft, MemoryScope, Source
from memd.memory.meaning import Meaning
from memd.memory.writer import Created, Refreshed
from memd.sources import attribution, observation_progress, observation_table, observation_texts
from memd.sources.extraction import Extraction, Statement
from memd.sources.observation_table import Stored
from memd.sources.projects import Project
from memd.tasks.attempt import fails
from memd.tasks.graph_mentions import Mentions

Over = Callable[[], bool]  # whether the time for a transaction is over


@dataclass(frozen=True, slots=True)
class Prepared:
    """A record with all that must be had before the transaction: what it says and means, and where it was said."""

    record: Stored
    said: Extraction
    project: Project | None = None  # where the record names it by its path
    meanings: Mapping[str, Meaning] = field(default_factory=dict)  # by the place of a statement


def absorb(
    connection: Connection, one: Prepared, thresholds: Thresholds, now_ms: int, over: Over
) -> tuple[Counter[str], bool]:
    """Take in of a record what fits in the time, one item at least; what came of it by kind, and whether that is all.

    All is stored in the same transaction: how far it is, or at its end the mark. Nothing where that was done before.
    """
    told, record = Counter[str](), one.record.id
    if (progress := observation_progress.of(connection, record)) is None:
        return told, True
    mentions = Mentions(connection, one.record.at_ms, progress.before(one.said), told, progress.dropped)
    left = progress.behind(one.said)
    for item in left:
        if isinstance(item, Statement):
            bad = _store(connection, one, item, thresholds, progress.entries, told)
        else:
            bad = mentions.take(item)
        progress.bad += bad
        told["bad_items"] += bad
        progress.upto = item.place
        if item is not left[-1] and over():
            observation_progress.note(connection, record, progress)
            return told, False
    bad, dropped = progress.bad + one.said.bad, progress.dropped + one.said.dropped
    observation_table.mark(connection, record, now_ms, progress.entries, bad=bad, dropped=dropped)
    told.update(records=1, bad_items=one.said.bad, dropped=dropped.total())
    return told, True


def absorb_again(
    connection: Connection, one: Prepared, thresholds: Thresholds, over: Over
) -> tuple[Counter[str], bool]:
    """Store those statements of an absorbed record whose entries are gone, as many as fit in the time.

    The graph has counted the record already. What came of it, and whether that is all.
    """
    told, made = Counter[str](), dict[str, int]()
    gone = observation_table.gone(connection, one.record)
    lost = [statement for statement in one.said.statements if statement.place in gone]
    while lost:
        told["bad_items"] += _store(connection, one, lost.pop(0), thresholds, made, told)
        if over():
            break
    gone -= {statement.place for statement in lost}
    entries = observation_table.entries(connection, one.record.id)
    kept = {place: entry for place, entry in entries.items() if place not in gone}
    observation_table.note_entries(connection, one.record.id, {**kept, **made})
    return told, not lost


def _store(
    connection: Connection,
    one: Prepared,
    statement: Statement,
    thresholds: Thresholds,
    entries: dict[str, int],
    told: Counter[str],
) -> int:
    """Store a statement, and note among ``entries`` which one it led to; 1 where it cannot be taken."""

    def store() -> None:
        if forget.is_forgotten(
            connection, observation_texts.of_statement(one.record.project, statement.content)
        ):
            return
        draft = Draft(
            statement.content,
            statement.type,
            statement.importance,
            _scope(connection, one, statement),
            [Source("observation", str(one.record.id)), *(Source("turn", turn) for turn in statement.turns)],
        )
        meaning = one.meanings.get(statement.place)
        match writer.store(connection, draft, meaning, one.record.at_ms, thresholds):
            case Created(id):
                entries[statement.place] = id
                told["created"] += 1
            case Refreshed(id):
                entries[statement.place] = id
                told["refreshed"] += 1

    return int(fails(connection, store) is not None)


def _scope(connection: Connection, one: Prepared, statement: Statement) -> MemoryScope:
    record = one.record
    if statement.level == "global" or record.project is None:
        return EVERYWHERE
    if one.project is not None:
        project = attribution.remember(connection, record.project, one.project)
    else:
        project = attribution.called(connection, record.project)
    return MemoryScope(project, record.branch if statement.level == "branch" else None)
