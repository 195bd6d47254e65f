"""A database with sessions in it, and the handler that observes them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

from memd.clock import FixedClock
from memd.db.database import Database
from memd.jobs import kinds, table
from memd.jobs.job import Job
from memd.jobs.retry import RetryPolicy, decide
from memd.jobs.settle import settle
from memd.ledger.budget import Caps
from memd.providers.llm.base import LanguageModel
from memd.tasks.metered import Metered
from memd.tasks.observe_session import ObserveSession, payload
from memd.text.tokens import Estimate
from tests.memory.entries import NOW
from tests.tasks.models import Scripted


class House:
    """Sessions are there, and are observed."""

    def __init__(
        self, db: Database, folder: Path, model: Scripted, *, asked: LanguageModel | None = None
    ) -> None:
        self.asked = asked or model
        self.db, self.model, self.clock, self.folder = db, model, FixedClock(NOW), folder
        self.excluded: set[str] = set()
        self.handler = self.anew()

    def anew(self) -> ObserveSession:
        """The handler of another start."""
        return ObserveSession(
            self.db,
            self.clock,
            Metered(self.asked, self.db, self.clock, Caps(10_000_000, 100.0), Estimate()),
            self.folder,
            Estimate(),
            is_excluded=self.excluded.__contains__,
            on_appended=lambda: None,
        )

    def run(self, session: str = "s1", since_ms: int | None = None) -> Job:
        """A job, from its claim to its end; how it stands then."""
        return asyncio.run(self.attempt(session, since_ms))

    async def attempt(self, session: str = "s1", since_ms: int | None = None) -> Job:
        """One attempt of it within a loop."""
        await self.db.write(
            table.enqueue,
            kinds.OBSERVE,
            session,
            lane="llm",
            max_attempts=8,
            now_ms=self.clock.now_ms(),
            payload=payload(session, since_ms),
        )
        self.clock.move(3600)
        job = await self.db.write(table.claim, "llm", boot="b", now_ms=self.clock.now_ms())
        assert job is not None
        await self._run(job)
        return await self.db.read(table.get, job.id)

    async def _run(self, job: Job) -> None:
        try:
            outcome = await self.handler.run(job)
        except Exception as error:
            outcome = decide(error, job.attempts, RetryPolicy(8), draw=random.Random(1))  # type: ignore[assignment]
        await self.db.write(settle, job, outcome, self.clock.now_ms())

    def lines(self) -> Sequence[bytes]:
        """What the log holds."""
        return [
            line for file in sorted(self.folder.glob("*.jsonl")) for line in file.read_bytes().splitlines()
        ]
