"""The job kind ``reflect``: what no reflection has seen goes to a language model, and what it finds is stored.

State is truth: the watermark moves in the transaction that stores what came of a reply, and only from where it stood
when the entries were read. So each reply counts once, wherever memd is killed, and a call that failed leaves everything
as it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import ReplyUnusable
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import replies
from memd.memory.dedup import Thresholds
from memd.memory.entry import MemoryEntry
from memd.providers.llm.base import LanguageModel, Request
from memd.reflection import apply, batch, earlier, gate, op, prompt, reflection_table, reply, statements
from memd.reflection.apply import Read
from memd.reflection.op import Found
from memd.reflection.prompt import Material, Prompt
from memd.reflection.reply import Unreadable
from memd.services import Embedding
from memd.tasks import meanings
from memd.tasks.curated_file import CuratedFile
from memd.text.neutral import restored
from memd.text.tokens import Counter
from memd.turns.redact import redact

PURPOSE = "reflect"
MOST_ROUNDS = 20  # of a job that drains
ANSWER_TOKENS = 4_000
DAY_MS = 86_400_000

TOO_LITTLE = "not enough new observations since last reflection"
NOTHING = "no unreflected entries found"


@dataclass(frozen=True, slots=True)
class Options:
    """How much is read at once, from how much on, how far back a first reflection begins, and in how many tokens."""

    min_new: int = gate.MIN_NEW
    batch: int = batch.SIZE
    days: int = 7
    prompt_tokens: int = 16_000


@dataclass(frozen=True, slots=True)
class Asked:
    """What a job asks for: of which project (None: all), and how its bounds differ from the options."""

    project: int | None = None
    min_new: int | None = None
    days: int | None = None
    drain: bool = False

    def payload(self) -> Mapping[str, object]:
        """The payload of the job."""
        return {"project": self.project, "min_new": self.min_new, "days": self.days, "drain": self.drain}


@dataclass(frozen=True, slots=True)
class _Material:
    """What a round may read: entries, insights near to them, what the project is called."""

    batch: batch.Batch
    earlier: list[MemoryEntry]
    of: str | None


class Reflect:
    """The handler. ``is_excluded``: the paths of projects of which nothing goes to a model.

    ``follow_up`` runs in each write.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        model: LanguageModel,
        embedding: Embedding,
        file: CuratedFile,
        options: Options,
        thresholds: Thresholds,
        counter: Counter,
        *,
        is_excluded: Callable[[str], bool],
        follow_up: Callable[[Connection], object],
    ) -> None:
        self._db, self._clock, self._model, self._embedding, self._file = db, clock, model, embedding, file
        self._options, self._thresholds, self._counter = options, thresholds, counter
        self._is_excluded, self._follow_up = is_excluded, follow_up

    async def run(self, job: Job) -> Outcome:
        """Reflect once, or while there is enough that is new; what came of it."""
        asked = asked_in(job.payload)
        min_new = self._options.min_new if asked.min_new is None else asked.min_new
        why: str | None = None
        for _ in range(MOST_ROUNDS if asked.drain else 1):
            material = await self._db.read(self._gathered, asked, min_new)
            if isinstance(material, str):
                why = material
                break
            if not await self._round(job, asked, material):
                break
            min_new = 0  # the gate has opened: what is left goes, too
        return Finished(effect=lambda connection: _told(connection, job.id, why))

    def _gathered(self, connection: Connection, asked: Asked, min_new: int) -> _Material | str:
        """What there is to be read; why nothing is."""
        options = self._options
        if not gate.opens(connection, asked.project, min_new):
            return TOO_LITTLE if batch.count(connection, asked.project) else NOTHING
        now_ms = self._clock.now_ms()
        days = options.days if asked.days is None else asked.days
        taken = batch.take(
            connection, asked.project, options.batch, now_ms=now_ms, since_ms=now_ms - days * DAY_MS
        )
        found = earlier.nearest(connection, asked.project, taken.entries)
        name = connection.execute("SELECT name FROM project WHERE id = ?", (asked.project,)).get
        return _Material(taken, found, None if name is None else str(name))

    async def _round(self, job: Job, asked: Asked, material: _Material) -> int:
        """Ask about what there is, and store what comes of it; how many entries are left for this job."""
        memory = await self._file.read()
        read, asking_for = await asyncio.to_thread(self._prompted, asked, material, memory)
        found, call = await self._found(job, asking_for, memory) if asking_for.taken else (Found(), None)
        texts = [insight.text for insight in found.insights]
        meant = await meanings.of_texts(self._embedding, texts)

        def store(connection: Connection) -> int:
            if not table.holds(connection, job):
                return 0
            apply.reflection(
                connection,
                read,
                found,
                self._clock.now_ms(),
                meanings=meant,
                thresholds=self._thresholds,
                job=job.id,
            )
            replies.forget(connection, call)
            self._follow_up(connection)
            return read.batch.left

        return await self._db.write(store)

    def _prompted(self, asked: Asked, material: _Material, memory: str) -> tuple[Read, Prompt]:
        """What is read, and the prompt that holds it: nothing of excluded projects, no secret of the file."""
        sent = [entry for entry in material.batch.entries if not self._hidden(entry)]
        near = [entry for entry in material.earlier if not self._hidden(entry)]
        built = prompt.build(
            Material(sent, redact(memory).text, near, material.of), self._options.prompt_tokens, self._counter
        )
        taken = material.batch
        if built.taken < len(sent):
            taken = taken.first(taken.entries.index(sent[built.taken]))
        return Read(asked.project, taken, memory, [entry.id for entry in near]), built

    def _hidden(self, entry: MemoryEntry) -> bool:
        return entry.project is not None and self._is_excluded(entry.project)

    async def _found(self, job: Job, built: Prompt, memory: str) -> tuple[Found, int | None]:
        """What the reply holds, and the call of the ledger that it cost; ReplyUnusable where it is none."""
        request = Request(built.system, built.text, reply.SCHEMA, ANSWER_TOKENS, PURPOSE, job.id)
        answer = await self._model.complete(request)
        found = reply.read(answer.data, answer.text, statements.texts(memory))
        if isinstance(found, Unreadable):
            await self._db.write(replies.forget, answer.call)  # to be asked anew, not to be answered so again
            raise ReplyUnusable(found.why)
        return _clean(found), answer.call


def asked_in(payload: Mapping[str, object]) -> Asked:
    """What the payload of a job asks for."""

    def whole(name: str) -> int | None:
        value = payload.get(name)
        return value if isinstance(value, int) else None

    return Asked(whole("project"), whole("min_new"), whole("days"), payload.get("drain") is True)


def _clean(found: Found) -> Found:
    """The same as it was before it was fenced, and without secrets: a model may put one together."""
    return replace(
        found,
        insights=[replace(one, text=_plain(one.text)) for one in found.insights],
        ops=[op.through(one, restored, _plain) for one in found.ops],
    )


def _plain(text: str) -> str:
    return redact(restored(text)).text


def _told(connection: Connection, job: int, why: str | None) -> Mapping[str, object]:
    told = reflection_table.of_job(connection, job)
    skipped = not told["reflections"]
    return {"skipped": skipped, "reason": why if skipped else None, **told}
