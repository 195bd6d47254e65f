"""The job kind ``absorb_observations``: what waits in the observation logs becomes entries and graph.

State is truth: what came of a record and how far it is absorbed are one transaction, so each item counts exactly once,
wherever memd is killed. A large record takes several, and others write in between. A record that memd itself ends over
is found much as a text of a backlog is: what is in flight stands in the job, those are tried alone at the next start,
and one that it ended over three times is set aside.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import ParamSpec, TypeVar

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.memory.dedup import Thresholds
from memd.memory.meaning import Meaning
from memd.providers.embedding.base import ModelUnavailable
from memd.services import Embedding, Governor, InUse
from memd.sources import extraction, observation_figures, observation_progress, observation_table, projects
from memd.sources.extraction import Statement
from memd.sources.observation_table import Stored
from memd.tasks import absorption
from memd.tasks.absorption import Over, Prepared
from memd.tasks.attempt import fails

P = ParamSpec("P")
T = TypeVar("T")

_log = structlog.get_logger("memd.observations")

TABLE = "observation"  # as the job names what is in flight
BATCH_RECORDS = 16
BATCH_TEXTS = 32
WRITE_SECONDS = 0.2  # of one transaction, so that the import is not held up


class AbsorbObservations:
    """The handler, with the thread on which it embeds. ``follow_up`` runs in each transaction that made entries."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        embedding: Embedding,
        governor: Governor,
        thresholds: Thresholds,
        follow_up: Callable[[Connection], object],
    ) -> None:
        self._db, self._clock, self._embedding, self._governor = db, clock, embedding, governor
        self._thresholds, self._follow_up = thresholds, follow_up
        self._thread = ThreadPoolExecutor(1, "memd-absorb")

    async def run(self, job: Job) -> Outcome:
        """Absorb until nothing waits; what came of it."""
        told = await self._suspects(job)
        while records := await self._db.read(observation_table.waiting, BATCH_RECORDS):
            told += await self._take(job, records)
        return Finished(
            dict(told),
            effect=lambda connection: {"set_aside": observation_figures.aside(connection)},
            left=lambda connection: bool(observation_table.waiting(connection, 1)),
        )

    async def _suspects(self, job: Job) -> Counter[str]:
        """Absorb what was in flight when memd ended, each on its own."""
        told, suspects = Counter[str](), job.in_flight.get(TABLE, ())
        for guilty in await self._db.write(observation_table.blame, suspects):
            _log.warning("record_set_aside", observation=guilty, why=observation_table.WHY)
        for record in await self._db.read(observation_table.waiting_among, suspects):
            told += await self._take(job, [record])
        return told

    async def _take(self, job: Job, records: Sequence[Stored]) -> Counter[str]:
        await self._db.write(table.note_in_flight, job, {TABLE: [record.id for record in records]})
        prepared = await self.prepare(records)
        told = Counter[str]()
        while prepared:
            done, some, cpu_s = await self._db.write(self._absorb, prepared)
            told, prepared = told + some, prepared[done:]
            await self._governor.turn(cpu_s)
        return told

    async def prepare(self, records: Sequence[Stored]) -> Sequence[Prepared]:
        """The records with what they say, and with what that means where there is a model to tell."""
        used = self._embedding.serving
        ready: list[Prepared] = []
        for record in records:
            one, cpu_s = await self._on_thread(_prepared, record)
            await self._governor.turn(cpu_s)
            ready.append(replace(one, meanings=await self._meant(one, used)) if used else one)
        return ready

    async def _meant(self, one: Prepared, used: InUse) -> dict[str, Meaning]:
        meanings = dict[str, Meaning]()
        for some in _batches(one):
            found, cpu_s = await self._on_thread(_timed_meanings, some, used)
            meanings |= found
            await self._governor.turn(cpu_s)
        return meanings

    def _on_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *args, **kwargs))

    def _absorb(
        self, connection: Connection, prepared: Sequence[Prepared]
    ) -> tuple[int, Counter[str], float]:
        """Absorb what fits in the time; how many records whole, what came of it, and the processor time it took."""
        began, over, told, done = time.thread_time(), _timer(), Counter[str](), 0
        for one in prepared:
            some, whole = self._absorbed(connection, one, over)
            told += some
            done += whole
            if not whole or over():
                break
        if told["created"] or told["refreshed"]:
            self._follow_up(connection)
        return done, told, time.thread_time() - began

    def _absorbed(self, connection: Connection, one: Prepared, over: Over) -> tuple[Counter[str], bool]:
        """Absorb a record, or more of it; one that cannot be is set aside, and the others go on."""
        results: list[tuple[Counter[str], bool]] = []

        def work() -> None:
            results.append(absorption.absorb(connection, one, self._thresholds, self._clock.now_ms(), over))

        if why := fails(connection, work):
            observation_table.set_aside(connection, one.record.id, why)
            _log.warning("record_set_aside", observation=one.record.id, why=why)
            return Counter(), True
        return results[0]

    async def again(self, records: Sequence[Stored]) -> int:
        """Store the statements of absorbed records whose entries are gone; how many."""
        stored = 0
        for one in await self.prepare(records):
            whole = False
            while not whole:
                some, whole = await self._db.write(self._again, one)
                stored += some
        return stored

    def _again(self, connection: Connection, one: Prepared) -> tuple[int, bool]:
        told, whole = absorption.absorb_again(connection, one, self._thresholds, _timer())
        self._follow_up(connection)
        return told["created"] + told["refreshed"], whole

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _timer() -> Over:
    """Whether the time of a transaction that begins now is over."""
    end = time.monotonic() + WRITE_SECONDS
    return lambda: time.monotonic() > end


def _prepared(record: Stored) -> tuple[Prepared, float]:
    """The record, prepared but for what it means, and how much processor time that took."""
    began = time.thread_time()
    said = extraction.read(record.extraction, record.project, record.branch)
    path = record.project if record.project and record.project.startswith("/") else None
    project = projects.identify(path) if path else None
    return Prepared(record, said, project), time.thread_time() - began


def _batches(one: Prepared) -> Iterator[Sequence[Statement]]:
    """The statements that are still to be taken in, few enough for a stop to be heeded between them."""
    upto = one.record.upto
    done = one.record.entries if one.record.absorbed_ms is None else {}
    left = [
        each
        for each in one.said.statements
        if observation_progress.is_behind(each.place, upto) and each.place not in done
    ]
    for at in range(0, len(left), BATCH_TEXTS):
        yield left[at : at + BATCH_TEXTS]


def _timed_meanings(statements: Sequence[Statement], used: InUse) -> tuple[dict[str, Meaning], float]:
    """What they mean, and how much processor time that took."""
    began = time.thread_time()
    return _meanings(statements, used), time.thread_time() - began


def _meanings(statements: Sequence[Statement], used: InUse) -> dict[str, Meaning]:
    """What the statements mean, by their places; nothing of one that the model does not take."""
    texts = [statement.content for statement in statements]
    try:
        found = list(used.embedder.embed_documents(texts))
    except ModelUnavailable:
        return {}
    except Exception:
        if len(texts) == 1:
            return {}
        alone = [_meanings([statement], used) for statement in statements]
        return {place: meaning for one in alone for place, meaning in one.items()}
    places = [statement.place for statement in statements]
    return {
        place: Meaning(used.space, windows)
        for place, windows in zip(places, found, strict=True)
        if len(windows)
    }
