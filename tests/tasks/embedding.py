"""Models that break or die, and the jobs that embed with them, as a start of memd runs them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from memd.clock import FixedClock
from memd.config.sections.models import GovernorOptions
from memd.daemon.governor import Governor
from memd.db.database import Database
from memd.jobs import kinds, recovery, table
from memd.jobs.job import Job
from memd.jobs.outcome import Outcome
from memd.jobs.settle import settle
from memd.providers.embedding.base import Embedder, Floats
from memd.providers.embedding.hashed import HashEmbedder
from memd.services import Enqueue, InUse, Troubles
from memd.tasks.embed import Embed

NOW = 1_000_000


class Killed(BaseException):
    """Stands for the death of memd: nothing that runs may catch it."""


class Model(HashEmbedder):
    """A model to which some texts do something."""

    def __init__(self, does: Callable[[Sequence[str]], None]) -> None:
        self._does = does

    def embed_documents(self, texts: Sequence[str]) -> list[Floats]:
        self._does(texts)
        return super().embed_documents(texts)


def free() -> Governor:
    """A governor that holds nothing up."""
    return Governor(FixedClock(), Troubles(FixedClock()), GovernorOptions(memory_mb=1_000_000))


class OneModel:
    """The embedders in use where there is only one."""

    configured = "hash"
    building = None

    def __init__(self, serving: InUse) -> None:
        self.serving = serving

    def opened(self) -> Sequence[Embedder]:
        return [self.serving.embedder]

    async def begin(self, setting: str | None, enqueue: Enqueue) -> int:
        raise AssertionError

    async def follow(self) -> None:
        raise AssertionError


def enqueue(db: Database, kind: str = kinds.EMBED_TURNS) -> None:
    db.write_now(table.enqueue, kind, "1", lane="embed", max_attempts=5, now_ms=NOW)


def start(db: Database, boot: str) -> Job | None:
    """What a start does with the queue, then the claim."""
    db.write_now(recovery.recover, boot=boot, now_ms=NOW, backlogs=set(kinds.EMBEDDED))
    return db.write_now(table.claim, "embed", boot=boot, now_ms=NOW)


def embed(
    db: Database, job: Job, does: Callable[[Sequence[str]], None], model: type[Model] = Model
) -> Outcome:
    """Run the handler to its end and write down what it came to."""
    task = Embed(
        db, OneModel(InUse(1, "hash", model(does))), Troubles(FixedClock()), free(), kinds.EMBEDDED[job.kind]
    )
    try:
        outcome = asyncio.run(task.run(job))
    finally:
        task.close()
    db.write_now(settle, job, outcome, NOW)
    return outcome


def kills_on(*poison: str) -> Callable[[Sequence[str]], None]:
    def does(texts: Sequence[str]) -> None:
        if set(poison) & set(texts):
            raise Killed

    return does


def start_until_it_lives(
    db: Database, does: Callable[[Sequence[str]], None], most: int = 20, model: type[Model] = Model
) -> int:
    """Start again and again until memd no longer dies over the backlog; how many deaths it took."""
    for deaths in range(most):
        job = start(db, f"boot {deaths}")
        assert job is not None
        try:
            embed(db, job, does, model)
        except Killed:
            continue
        return deaths
    raise AssertionError(f"still dying after {most} starts")
