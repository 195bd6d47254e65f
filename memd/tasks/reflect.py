"""The job kind ``reflect``: what no reflection has seen goes to a language model, and what it finds is stored.

State is truth: the watermark moves in the transaction that stores what came of a reply, and only from where it stood
when the entries were read. So each reply counts once, wherever memd is killed, and a call that failed leaves everything
as it was. Entries about which no answer was of use are sent in smaller batches by the next job; after three jobs they
are passed over, and that is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import ReplyUnusable
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.ledger import metering, replies
from memd.ledger import table as ledger
from memd.memory.dedup import Thresholds
from memd.providers.llm.base import LanguageModel, Request
from memd.reflection import apply, batch, gate, reading, reflection_table, reply, statements, watermark
from memd.reflection.apply import Read
from memd.reflection.op import Dropped, Found
from memd.reflection.prompt import Prompt
from memd.reflection.reading import Gathered
from memd.reflection.reply import Unreadable
from memd.services import Embedding
from memd.tasks import meanings
from memd.tasks.curated_file import CuratedFile
from memd.text.tokens import Counter
from memd.turns.redact import redact

MOST_ROUNDS = 20  # of a job that drains
STRIKES = 3
SMALLER = 4

_log = structlog.get_logger("memd.reflection")


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
        strikes = await self._db.read(_strikes, job, asked)
        why: str | None = None
        for _ in range(MOST_ROUNDS if asked.drain else 1):
            found = await self._db.read(self._gathered, asked, min_new, strikes)
            if isinstance(found, str):
                why = found
                break
            if not await self._round(job, found, is_asked=strikes < STRIKES):
                break
            min_new = strikes = 0  # the gate has opened: what is left goes, too
        return Finished(effect=lambda connection: _told(connection, job.id, why))

    def _gathered(self, connection: Connection, asked: Asked, min_new: int, strikes: int) -> Gathered | str:
        """What there is to be read; why nothing is."""
        if why := gate.why_shut(connection, asked.project, min_new):
            return why
        days = self._options.days if asked.days is None else asked.days
        limit = max(1, self._options.batch // SMALLER ** min(strikes, STRIKES - 1))
        return reading.gather(connection, asked.project, limit, days, self._clock.now_ms())

    async def _round(self, job: Job, gathered: Gathered, *, is_asked: bool) -> int:
        """Ask about what there is, and store what comes of it; how many entries are left for this job."""
        memory = await self._file.read()
        read, built = await asyncio.to_thread(self._prompted, gathered, memory)
        if built.taken and is_asked:
            found, call = await self._found(job, built, memory)
        else:
            found, call = _passed_over(read, built), None
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

    def _prompted(self, gathered: Gathered, memory: str) -> tuple[Read, Prompt]:
        return reading.prompted(
            gathered,
            memory,
            self._options.prompt_tokens,
            self._counter,
            redact=_redacted,
            is_excluded=self._is_excluded,
        )

    async def _found(self, job: Job, built: Prompt, memory: str) -> tuple[Found, int | None]:
        """What the reply holds, and the call of the ledger that it cost; ReplyUnusable where it is none."""
        request = Request(
            built.system, built.text, reply.SCHEMA, reading.ANSWER_TOKENS, reading.PURPOSE, job.id
        )
        answer = await self._model.complete(request)
        found = reply.read(answer.data, answer.text, statements.texts(memory))
        if isinstance(found, Unreadable):
            await self._db.write(metering.of_no_use, answer.call)
            raise ReplyUnusable(found.why)
        return reading.plain(found, _redacted), answer.call


def asked_in(payload: Mapping[str, object]) -> Asked:
    """What the payload of a job asks for."""

    def whole(name: str) -> int | None:
        value = payload.get(name)
        return value if isinstance(value, int) else None

    return Asked(whole("project"), whole("min_new"), whole("days"), payload.get("drain") is True)


def _strikes(connection: Connection, job: Job, asked: Asked) -> int:
    """How many jobs came to nothing over the entries that are next."""
    mark = watermark.get(connection, asked.project)
    return ledger.given_up(connection, job.kind, job.key, mark.at_ms if mark else 0)


def _passed_over(read: Read, built: Prompt) -> Found:
    """What a reflection finds that asks nobody: that entries are passed over, where there were some to be sent."""
    if not built.taken:
        return Found()
    _log.warning("entries_passed_over", entries=list(read.entries))
    shown = " ".join(f"#{entry}" for entry in read.entries)
    return Found(dropped=[Dropped(shown, "no answer about these entries was of use: they are passed over")])


def _redacted(text: str) -> str:
    return redact(text).text


def _told(connection: Connection, job: int, why: str | None) -> Mapping[str, object]:
    told = reflection_table.of_job(connection, job)
    skipped = not told["reflections"]
    return {"skipped": skipped, "reason": why if skipped else None, **told}
