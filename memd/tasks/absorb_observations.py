"""The job kind ``absorb_observations``: what waits in the observation logs becomes entries and graph.

State is truth: a record's effects and the mark that it is absorbed are one transaction, so each counts exactly once,
wherever memd is killed. A record that memd itself ends over is found much as a text of a backlog is: what is in flight
stands in the job, those are tried alone at the next start, and one that it ended over three times is set aside.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

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
from memd.sources import extraction, observation_figures, observation_table, projects
from memd.sources.extraction import Extraction
from memd.sources.observation_table import Stored
from memd.tasks import absorption
from memd.tasks.absorption import Prepared

_log = structlog.get_logger("memd.observations")

TABLE = "observation"  # as the job names what is in flight
BATCH_RECORDS = 16
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
        loop, used = asyncio.get_running_loop(), self._embedding.serving
        ready: list[Prepared] = []
        for record in records:
            one, cpu_s = await loop.run_in_executor(self._thread, _prepared, record, used)
            ready.append(one)
            await self._governor.turn(cpu_s)
        return ready

    def _absorb(
        self, connection: Connection, prepared: Sequence[Prepared]
    ) -> tuple[int, Counter[str], float]:
        """Absorb as many as fit in the time; how many, what came of them, and the processor time it took."""
        began, end, told, done = time.thread_time(), time.monotonic() + WRITE_SECONDS, Counter[str](), 0
        for one in prepared:
            told += self._absorbed(connection, one)
            done += 1
            if time.monotonic() > end:
                break
        if told["created"] or told["refreshed"]:
            self._follow_up(connection)
        return done, told, time.thread_time() - began

    def _absorbed(self, connection: Connection, one: Prepared) -> Counter[str]:
        """Absorb a record; one that cannot be is set aside, and the others go on."""
        told = Counter[str]()

        def work() -> None:
            told.update(absorption.absorb(connection, one, self._thresholds, self._clock.now_ms()))

        if why := absorption.fails(connection, work):
            observation_table.set_aside(connection, one.record.id, why)
            _log.warning("record_set_aside", observation=one.record.id, why=why)
        return told

    async def again(self, records: Sequence[Stored]) -> int:
        """Store the statements of absorbed records whose entries are gone; how many."""
        stored = 0
        for one in await self.prepare(records):
            stored += await self._db.write(self._again, one)
        return stored

    def _again(self, connection: Connection, one: Prepared) -> int:
        places = observation_table.gone(connection, one.record)
        told = absorption.absorb_again(connection, one, places, self._thresholds)
        self._follow_up(connection)
        return told["created"] + told["refreshed"]

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _prepared(record: Stored, used: InUse | None) -> tuple[Prepared, float]:
    """The record, prepared, and how much processor time that took."""
    began = time.thread_time()
    said = extraction.read(record.extraction, record.project, record.branch)
    path = record.project if record.project and record.project.startswith("/") else None
    meanings = _meanings(said, used) if used and said.statements else {}
    project = projects.identify(path) if path else None
    return Prepared(record, said, project, meanings), time.thread_time() - began


def _meanings(said: Extraction, used: InUse) -> dict[str, Meaning]:
    """What the statements mean, by their places; nothing of one that the model does not take."""
    texts = [statement.content for statement in said.statements]
    try:
        found = list(used.embedder.embed_documents(texts))
    except ModelUnavailable:
        return {}
    except Exception:
        if len(texts) == 1:
            return {}
        alone = [Extraction([statement]) for statement in said.statements]
        return {place: meaning for one in alone for place, meaning in _meanings(one, used).items()}
    places = [statement.place for statement in said.statements]
    return {
        place: Meaning(used.space, windows)
        for place, windows in zip(places, found, strict=True)
        if len(windows)
    }
