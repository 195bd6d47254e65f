"""What becomes of a reply, in one transaction: insights, proposals, and the watermark that has passed what was read.

A model names entries by their numbers, and may name any: those that it was not shown count for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memd.db.driver import Connection
from memd.memory import writer
from memd.memory.dedup import Thresholds
from memd.memory.entry import Draft, MemoryScope, Source
from memd.memory.meaning import Meaning
from memd.memory.writer import Created, Refreshed
from memd.reflection import memory_md, op, passed_over, proposal_table, reflection_table, watermark
from memd.reflection.batch import Batch
from memd.reflection.memory_md import Conflict
from memd.reflection.op import Dropped, Found, Insight, ReflectionOp
from memd.reflection.places import EVERYWHERE

IMPORTANCE = 6  # of an insight
SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Read:
    """What a reflection read: of which project, which entries, which insights besides, the curated file as it was.

    ``sent`` are those of the entries that a model was shown; ``file`` names the curated file (``places``).
    """

    project: int | None
    batch: Batch
    memory: str
    earlier: Collection[int] = ()
    sent: Collection[int] = ()
    file: str = EVERYWHERE

    @property
    def entries(self) -> Collection[int]:
        """The numbers that an operation may name."""
        return [entry.id for entry in self.batch.entries]


@dataclass(slots=True)
class Noted:
    """What came of it. ``insights`` are new entries, ``repeated`` those that were seen once more."""

    reflection: int
    insights: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    proposals: list[int] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def reflection(
    connection: Connection,
    read: Read,
    found: Found,
    now_ms: int,
    *,
    meanings: Mapping[str, Meaning],
    thresholds: Thresholds,
    job: int | None = None,
) -> Noted | None:
    """Store what was found; None, and nothing stored, where another reflection has read the same meanwhile."""
    if watermark.get(connection, read.project) != read.batch.before:
        return None
    number = reflection_table.begin(connection, read.project, job, now_ms, len(read.batch.entries))
    noted = Noted(number, dropped=list(found.dropped))
    for insight in found.insights:
        _store(connection, read, insight, noted, now_ms, meanings.get(insight.text), thresholds)
    for change in found.ops:
        _propose(connection, read, change, noted)
    reflection_table.end(connection, number, len(noted.insights), len(noted.repeated), noted.dropped)
    watermark.put(connection, read.project, replace(read.batch.after, at_ms=now_ms))
    passed_over.remove(connection, read.project, read.entries)
    return noted


def pass_over(connection: Connection, read: Read, now_ms: int, why: str, job: int | None = None) -> bool:
    """Go past what was sent without a usable answer; False where another reflection has read the same meanwhile.

    It is noted, and read again when somebody asks.
    """
    if watermark.get(connection, read.project) != read.batch.before:
        return False
    watermark.put(connection, read.project, replace(read.batch.after, at_ms=now_ms))
    passed_over.put(connection, read.project, read.sent, now_ms, why, job)
    return True


def _store(
    connection: Connection,
    read: Read,
    insight: Insight,
    noted: Noted,
    now_ms: int,
    meaning: Meaning | None,
    thresholds: Thresholds,
) -> None:
    named = [entry for entry in insight.entries if entry in (*read.entries, *read.earlier)]
    rests_on = named or read.entries
    sources = [Source("entry", str(entry)) for entry in rests_on]
    draft = Draft(insight.text, "insight", IMPORTANCE, MemoryScope(read.project), sources)
    match writer.store(connection, draft, meaning, now_ms, thresholds):
        case Created(entry):
            noted.insights.append(entry)
        case Refreshed(entry):
            noted.repeated.append(entry)
        case _:
            noted.dropped.append(Dropped("", "it was forgotten"))


def _propose(connection: Connection, read: Read, change: ReflectionOp, noted: Noted) -> None:
    try:
        placed = memory_md.placed(read.memory, _backed(change, read.entries))
    except Conflict as conflict:
        noted.dropped.append(Dropped(_shown(change), conflict.message))
        return
    if proposal_table.is_known(connection, placed, read.file):
        noted.dropped.append(Dropped(_shown(change), "it was proposed before"))
        return
    noted.proposals.append(proposal_table.add(connection, noted.reflection, placed, read.file))


def _backed(change: ReflectionOp, shown: Collection[int]) -> ReflectionOp:
    return replace(change, entries=tuple(entry for entry in change.entries if entry in shown))


def _shown(change: ReflectionOp) -> str:
    texts: Sequence[str] = [*op.before(change), *filter(None, [op.after(change)])]
    return f"{op.name(change)}: {' | '.join(texts)}"[:SHOWN_CHARS]
