"""A database with entries in it, and the handler that reflects on them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection
from pathlib import Path

from memd.clock import FixedClock
from memd.db.database import Database
from memd.jobs import kinds, table
from memd.jobs.job import Job
from memd.jobs.retry import RetryPolicy, decide
from memd.jobs.settle import settle
from memd.ledger.budget import Caps
from memd.memory.dedup import Thresholds
from memd.providers.llm.base import LanguageModel
from memd.reflection import watermark
from memd.reflection.places import Places, ProjectFiles
from memd.tasks.auto_apply import AutoApply
from memd.tasks.curated_files import CuratedFiles
from memd.tasks.metered import Metered
from memd.tasks.reflect import Asked, Options, Reflect
from memd.text.tokens import Estimate
from tests.memory.entries import NOW
from tests.tasks.absorbing import Embedding
from tests.tasks.models import Scripted


class House:
    """Entries are there, and are reflected on."""

    def __init__(
        self,
        db: Database,
        folder: Path,
        model: Scripted,
        options: Options | None = None,
        auto_apply: Collection[str] = (),
        asked: LanguageModel | None = None,
        project_files: ProjectFiles = "none",
    ) -> None:
        self.db, self.model, self.clock = db, model, FixedClock(NOW)
        self.embedding = Embedding()
        self.excluded: set[str] = set()
        self.file = CuratedFiles(db, Places(folder / "MEMORY.md", project_files))
        self.handler = Reflect(
            db,
            self.clock,
            Metered(asked or model, db, self.clock, Caps(10_000_000, 100.0), Estimate()),
            self.embedding,
            self.file,
            options or Options(),
            Thresholds(),
            Estimate(),
            is_excluded=self.excluded.__contains__,
            follow_up=lambda connection: None,
            auto_apply=AutoApply(
                db, self.clock, self.embedding, self.file, auto_apply, lambda connection: None
            ),
        )

    def run(self, asked: Asked | None = None, key: str = "all") -> Job:
        """A job, from its claim to its end; how it stands then."""
        job = self.claim(asked, key)
        self.work(job)
        return self.db.read_now(table.get, job.id)

    def claim(self, asked: Asked | None = None, key: str = "all") -> Job:
        """The job, running."""
        self.db.write_now(
            table.enqueue,
            kinds.REFLECT,
            key,
            lane="llm",
            max_attempts=8,
            now_ms=self.clock.now_ms(),
            payload=(asked or Asked()).payload(),
        )
        self.clock.move(3600)
        job = self.db.write_now(table.claim, "llm", boot="b", now_ms=self.clock.now_ms())
        assert job is not None
        return job

    def work(self, job: Job) -> None:
        """Do what it asks for, and write down what came of it."""
        asyncio.run(self._run(job))

    async def attempt(self) -> Job:
        """One attempt of a job within a loop; how it stands then."""
        job = await asyncio.to_thread(self.claim)
        await self._run(job)
        return await self.db.read(table.get, job.id)

    async def _run(self, job: Job) -> None:
        try:
            outcome = await self.handler.run(job)
        except Exception as error:
            outcome = decide(error, job.attempts, RetryPolicy(8), draw=random.Random(1))  # type: ignore[assignment]
        await self.db.write(settle, job, outcome, self.clock.now_ms())

    def mark(self, project: int | None = None) -> int | None:
        """Up to which entry reflection has seen them."""
        found = self.db.read_now(watermark.get, project)
        return None if found is None else found.entry
