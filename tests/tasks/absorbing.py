"""A database with observation records in it, and the handler that absorbs them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from memd.clock import FixedClock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds, recovery, table
from memd.jobs.job import Job
from memd.jobs.outcome import Outcome
from memd.jobs.settle import settle
from memd.memory.dedup import Thresholds
from memd.providers.embedding.base import Embedder
from memd.services import InUse
from memd.sources import observation_table, observations
from memd.sources.cursors import Cursor
from memd.sources.observation_table import Part
from memd.tasks.absorb_observations import AbsorbObservations
from memd.turns import spaces
from tests.sources.logs import DAY, line

CURSOR = Cursor(f"/o/{DAY}.jsonl", 1, 2, 3, 4, 3, b"", b"")


class Embedding:
    """The embedder in use, if there is one."""

    configured = "none"

    def __init__(self) -> None:
        self.serving: InUse | None = None
        self.building: InUse | None = None


class Ungoverned:
    """Never waits."""

    async def turn(self, cpu_s: float) -> None:
        pass

    def hurry(self) -> AbstractContextManager[None]:
        return nullcontext()


@dataclass
class Killed(BaseException):
    """memd ended here."""


class House:
    """Records go in, and are absorbed."""

    def __init__(self, db: Database) -> None:
        self.db, self.clock, self.embedding = db, FixedClock(), Embedding()
        self.follow_ups = 0
        self.handler = self.new_handler()
        self.boot = 0
        self.size = 0

    def new_handler(self) -> AbsorbObservations:
        def follow_up(connection: Connection) -> None:
            self.follow_ups += 1

        return AbsorbObservations(
            self.db,
            self.clock,
            self.embedding,
            Ungoverned(),
            Thresholds(),
            follow_up,  # type: ignore[arg-type]
        )

    def speak(self, embedder: Embedder) -> None:
        space = self.db.write_now(spaces.ensure, embedder.space.key, embedder.space.dim)
        self.embedding.serving = InUse(space, "test", embedder)

    def observe(self, *said: object) -> None:
        """Store records, as the intake would."""
        found = []
        for one in said:
            raw = line(one)
            record = json.loads(raw)
            assert isinstance(record, dict)
            observation = observations.observation_of(f"{DAY}.jsonl", self.size, raw, record)
            assert observation
            found.append(observation)
            self.size += len(raw)
        part = Part(replace(CURSOR, offset=self.size), False, found, ())
        self.db.write_now(observation_table.accept, [part], None)

    def absorb(self) -> Outcome:
        """Run the job, as the worker would; what it came to."""
        return asyncio.run(self.work())

    async def work(self) -> Outcome:
        """``absorb`` for those who wait for it on a loop."""
        job = await self.db.write(self._claimed)
        outcome = await self.handler.run(job)
        while await self.db.write(settle, job, outcome, self.clock.now_ms()):
            outcome = await self.handler.run(job)
        return outcome

    def _claimed(self, connection: Connection) -> Job:
        """The job, taken over from whoever was killed over it."""
        self.boot += 1
        recovery.recover(connection, boot=str(self.boot), now_ms=self.clock.now_ms(), backlogs={kinds.ABSORB})
        table.enqueue(
            connection, kinds.ABSORB, "all", lane="absorb", max_attempts=5, now_ms=self.clock.now_ms()
        )
        job = table.claim(connection, "absorb", boot=str(self.boot), now_ms=self.clock.now_ms())
        assert job
        return job

    def rows(self, query: str, *values: object) -> Sequence[tuple[object, ...]]:
        return self.db.read_now(lambda c: c.execute(query, values).fetchall())

    def entries(self) -> list[tuple[object, ...]]:
        return list(self.rows("SELECT type, content FROM entry ORDER BY id"))

    def graph(self) -> tuple[Sequence[tuple[object, ...]], Sequence[tuple[object, ...]]]:
        """Entities and edges, by their names."""
        return (
            self.rows("SELECT name, type, mentions, first_seen_ms, last_seen_ms FROM entity ORDER BY key"),
            self.rows(
                """SELECT s.name, r.type, t.name, r.context, r.first_seen_ms, r.last_seen_ms FROM relationship r
                   JOIN entity s ON s.id = r.source_id JOIN entity t ON t.id = r.target_id ORDER BY 1, 2, 3"""
            ),
        )
