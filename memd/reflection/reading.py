"""What a reflection reads, as it goes to a model, and what comes back of that. The model is asked in between.

Nothing of an excluded project goes, and no secret goes or comes: which projects and which texts that is about is told
by who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memd.db.driver import Connection
from memd.memory.entry import MemoryEntry
from memd.reflection import batch, earlier, op, prompt
from memd.reflection.apply import Read
from memd.reflection.batch import Batch
from memd.reflection.op import Found
from memd.reflection.places import EVERYWHERE
from memd.reflection.prompt import Material, Prompt
from memd.text.neutral import restored
from memd.text.tokens import Counter

PURPOSE = "reflect"
PROMPT_TOKENS = 16_000
ANSWER_TOKENS = 4_000
DAYS = 7  # that a first reflection begins with
DAY_MS = 86_400_000

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Entries that are next, of a project (None: of all), the insights near to them, the project's name and path."""

    project: int | None
    batch: Batch
    earlier: Sequence[MemoryEntry]
    name: str | None
    path: str | None


def gather(connection: Connection, project: int | None, limit: int, days: int, now_ms: int) -> Gathered:
    """What is to be read next, at most so many entries; a first reflection begins with the last ``days``."""
    taken = batch.take(connection, project, limit, now_ms=now_ms, since_ms=now_ms - days * DAY_MS)
    called = connection.execute("SELECT name, path FROM project WHERE id = ?", (project,)).fetchone()
    found = earlier.nearest(connection, project, taken.entries)
    name, path = (None, None) if called is None else (str(called[0]), str(called[1]))
    return Gathered(project, taken, found, name, path)


def prompted(
    found: Gathered,
    file: str,
    memory: str,
    budget: int,
    counter: Counter,
    *,
    redact: Redact,
    is_excluded: Callable[[str], bool],
) -> tuple[Read, Prompt]:
    """What is read of it with a curated file, and the prompt of so many tokens that holds it."""
    sent = [entry for entry in found.batch.entries if not _is_hidden(entry, is_excluded)]
    near = [entry for entry in found.earlier if not _is_hidden(entry, is_excluded)]
    built = prompt.build(
        Material(sent, redact(memory), near, found.name, is_own=file != EVERYWHERE), budget, counter
    )
    taken = found.batch
    if built.taken < len(sent):
        taken = taken.first(taken.entries.index(sent[built.taken]))
    shown = [entry.id for entry in sent[: built.taken]]
    return Read(found.project, taken, memory, [entry.id for entry in near], shown, file), built


def plain(found: Found, redact: Redact) -> Found:
    """What a reply holds as it was before it was fenced, and without secrets: a model may put one together."""

    def new(text: str) -> str:
        return redact(restored(text))

    return replace(
        found,
        insights=[replace(one, text=new(one.text)) for one in found.insights],
        ops=[op.through(one, restored, new) for one in found.ops],
    )


def _is_hidden(entry: MemoryEntry, is_excluded: Callable[[str], bool]) -> bool:
    return entry.project is not None and is_excluded(entry.project)
