"""The job kind ``reindex``: builds a vector space beside the one that serves, then lets it serve.

State is truth: what is to be built stands in the table of spaces, and how far it is in its backlog, so a start goes on
where the last one ended. Where the old model cannot even embed a question any more, the new space serves at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import TABLES
from memd.jobs import kinds, table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.providers.embedding.base import ModelUnavailable
from memd.services import Embedding, Governor, InUse, Troubles
from memd.tasks.backlog import TRY_SECONDS, Backlog
from memd.tasks.rate import Rate
from memd.turns import serving, spaces

_log = structlog.get_logger("memd.embedding")


class Reindex:
    """The handler, with a thread of its own: what is written meanwhile is embedded for the old space beside it."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        embedding: Embedding,
        troubles: Troubles,
        governor: Governor,
        enqueue: Callable[[str, str], Awaitable[int]],
    ) -> None:
        self._db, self._clock, self._embedding, self._troubles = db, clock, embedding, troubles
        self._governor, self._enqueue = governor, enqueue
        self._thread = ThreadPoolExecutor(1, "memd-reindex")
        self._rate = Rate()

    async def run(self, job: Job) -> Outcome:
        """Embed every text for the new space, then let it serve."""
        coming = self._embedding.building
        if coming is None:
            return Finished({"skipped": "no vectors are being built"})
        whole = await self._old_one_answers(coming)
        try:
            await self._build(job, coming, whole=whole)
        except ModelUnavailable as error:
            self._troubles.raise_("reindex", f"the new vectors wait: {error.what}", error.hint)
            return Later(min(TRY_SECONDS, error.retry_s), error.message)
        self._troubles.clear("reindex")
        await self._embedding.follow()
        _log.info("vectors_switched", embedder=coming.setting, whole=whole)
        for kind in kinds.EMBEDDED:
            await self._enqueue(kind, str(coming.space))
        await self._enqueue(kinds.PRUNE, "daily")
        return Finished({"embedder": coming.setting, **await self._db.read(_figures, coming.space)})

    async def _old_one_answers(self, coming: InUse) -> bool:
        """Whether the space that serves can be asked at all."""
        old = self._embedding.serving
        if old is None or old.setting == coming.setting:
            return old is not None
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, old.embedder.embed_query, "a")
        except ModelUnavailable as error:
            _log.warning("old_vectors_given_up", embedder=old.setting, error=error.what)
            return False
        return True

    async def _build(self, job: Job, coming: InUse, *, whole: bool) -> None:
        """Let the space serve, in the transaction that sees that it is whole; else at once."""
        backlog = Backlog(self._db, coming, self._thread, self._rate, self._governor, TABLES)
        while not await self._db.write(self._switch, job, coming, whole):
            await backlog.work_off(job)

    def _switch(self, connection: Connection, job: Job, coming: InUse, whole: bool) -> bool:
        if whole and spaces.is_behind(connection, coming.space):
            return False
        if table.holds(connection, job):
            serving.switch(connection, self._clock.now_ms())
        return True

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _figures(connection: Connection, space: int) -> dict[str, object]:
    covered = spaces.coverage(connection, space)
    return {
        "texts": covered.contents,
        "waiting": covered.waiting,
        "set_aside": spaces.aside(connection, space),
    }
