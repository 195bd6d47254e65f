"""The job kind ``reflect``: what no reflection has seen goes to a language model, and what it finds is stored.

State is truth: the watermark moves in the transaction that stores what came of a reply, and only from where it stood
when the entries were read. So each reply counts once, wherever memd is killed, and a call that failed leaves everything
as it was (see ``rounds``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import ModelError, ReplyUnusable
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import metering, narrowing
from memd.memory.dedup import Thresholds
from memd.providers.llm.base import LanguageModel
from memd.reflection import batch, gate, reading, reflection_table, rounds
from memd.reflection.apply import Read
from memd.reflection.op import Found
from memd.reflection.prompt import Prompt
from memd.reflection.reading import Gathered
from memd.services import Embedding
from memd.tasks import meanings
from memd.tasks.auto_apply import AutoApply
from memd.tasks.curated_files import CuratedFiles
from memd.text.tokens import Counter
from memd.turns.redact import redact

MOST_ROUNDS = 20  # of a job that drains


@dataclass(frozen=True, slots=True)
class Options:
    """How much is read at once, from how much on, how far back a first reflection begins, and in how many tokens."""

    min_new: int = gate.MIN_NEW
    batch: int = batch.SIZE
    days: int = reading.DAYS
    prompt_tokens: int = reading.PROMPT_TOKENS


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
        files: CuratedFiles,
        options: Options,
        thresholds: Thresholds,
        counter: Counter,
        *,
        is_excluded: Callable[[str], bool],
        follow_up: Callable[[Connection], object],
        auto_apply: AutoApply | None = None,
    ) -> None:
        self._db, self._clock, self._model, self._embedding, self._files = db, clock, model, embedding, files
        self._options, self._thresholds, self._counter = options, thresholds, counter
        self._is_excluded, self._follow_up, self._auto_apply = is_excluded, follow_up, auto_apply

    async def run(self, job: Job) -> Outcome:
        """Reflect once, or while there is enough that is new; what came of it."""
        asked = asked_in(job.payload)
        min_new = self._options.min_new if asked.min_new is None else asked.min_new
        why: str | None = None
        for _ in range(MOST_ROUNDS if asked.drain else 1):
            found = await self._db.read(self._gathered, asked, min_new)
            if isinstance(found, str):
                why = found
                break
            if not await self._round(job, found):
                break
            min_new = 0  # the gate has opened: what is left goes, too
        if self._auto_apply is not None:
            await self._auto_apply.run(job.id)
        return Finished(effect=lambda connection: _told(connection, job.id, why))

    def _gathered(self, connection: Connection, asked: Asked, min_new: int) -> Gathered | str:
        """What there is to be read; why nothing is."""
        return rounds.gather(
            connection,
            asked.project,
            min_new=min_new,
            size=self._options.batch,
            days=self._options.days if asked.days is None else asked.days,
            now_ms=self._clock.now_ms(),
        )

    async def _round(self, job: Job, gathered: Gathered) -> int:
        """Ask about what there is, and store what comes of it; how many entries are left for this job."""
        file = self._files.places.file_of(gathered.path)
        memory = await self._files.read(file)
        read, built = await asyncio.to_thread(self._prompted, gathered, file, memory)
        try:
            found, call = await self._found(job, built, memory) if built.taken else (Found(), None)
        except narrowing.UNUSABLE as error:
            if not await self._strike(job, read, error):
                raise
            return read.batch.left
        texts = [insight.text for insight in found.insights]
        meant = await meanings.of_texts(self._embedding, texts)

        def store(connection: Connection) -> int:
            if not table.holds(connection, job):
                return 0
            rounds.store(
                connection,
                read,
                found,
                call,
                self._clock.now_ms(),
                meanings=meant,
                thresholds=self._thresholds,
                job=job.id,
            )
            self._follow_up(connection)
            return read.batch.left

        return await self._db.write(store)

    async def _strike(self, job: Job, read: Read, error: ModelError) -> bool:
        """Count a reply that could not be used; True where its entry was passed over for it."""

        def strike(connection: Connection) -> bool:
            if not table.holds(connection, job):
                return False
            return rounds.strike(connection, read, error, self._clock.now_ms(), job.id)

        return await self._db.write(strike)

    def _prompted(self, gathered: Gathered, file: str, memory: str) -> tuple[Read, Prompt]:
        return reading.prompted(
            gathered,
            file,
            memory,
            self._options.prompt_tokens,
            self._counter,
            redact=_redacted,
            is_excluded=self._is_excluded,
        )

    async def _found(self, job: Job, built: Prompt, memory: str) -> tuple[Found, int | None]:
        """What the reply holds, and the call of the ledger that it cost; ReplyUnusable where it is none."""
        answer = await self._model.complete(rounds.request(built, job.id))
        try:
            return rounds.found(answer, memory, _redacted), answer.call
        except ReplyUnusable:
            await self._db.write(metering.of_no_use, answer)
            raise


def asked_in(payload: Mapping[str, object]) -> Asked:
    """What the payload of a job asks for."""

    def whole(name: str) -> int | None:
        value = payload.get(name)
        return value if isinstance(value, int) else None

    return Asked(whole("project"), whole("min_new"), whole("days"), payload.get("drain") is True)


def _redacted(text: str) -> str:
    return redact(text).text


def _told(connection: Connection, job: int, why: str | None) -> Mapping[str, object]:
    told = reflection_table.of_job(connection, job)
    skipped = not told["reflections"] and not told["passed_over"]
    return {"skipped": skipped, "reason": why if skipped else None, **told}
