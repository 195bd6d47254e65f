"""The job kinds ``embed_turns`` and ``embed_entries``: each works its backlogs of the vector space that serves off.

State is truth: the job ends when they are empty, whatever asked for it. Entries do not wait for turns, of which there
may be hours of work, nor text search for either.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from memd.db import token_signs
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import TEXTS, VectorTable
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.providers.embedding.base import ModelUnavailable
from memd.services import Embedding, Governor, InUse, Troubles
from memd.tasks.backlog import TRY_SECONDS, Backlog
from memd.tasks.rate import Rate
from memd.turns import spaces


def has_work(connection: Connection, used: InUse, tables: Sequence[VectorTable]) -> bool:
    """Whether a text of these tables waits for its vectors, or for the signs of its tokens."""
    if spaces.is_behind(connection, used.space, tables):
        return True
    return TEXTS in tables and bool(used.embedder.tokens) and token_signs.is_behind(connection, used.space)


class Embed:
    """The handler of one of them, with the one thread on which it embeds the texts of its tables."""

    def __init__(
        self,
        db: Database,
        embedding: Embedding,
        troubles: Troubles,
        governor: Governor,
        tables: Sequence[VectorTable],
    ) -> None:
        self._db, self._embedding, self._troubles, self._governor = db, embedding, troubles, governor
        self._tables = tables
        self._thread = ThreadPoolExecutor(1, "memd-embed")
        self.rate = Rate()

    async def run(self, job: Job) -> Outcome:
        """Embed until nothing is left; wait where there is no model."""
        used = self._embedding.serving
        if used is None:
            return Finished({"skipped": "no space serves"})
        backlog = Backlog(self._db, used, self._thread, self.rate, self._governor, self._tables)
        try:
            done = await backlog.work_off(job)
            if TEXTS in self._tables:
                await backlog.add_tokens(job)
        except ModelUnavailable as error:
            self._troubles.raise_("embedding", error.what, error.hint)
            return Later(min(TRY_SECONDS, error.retry_s), error.message)
        if done:
            self._troubles.clear("embedding")
        return Finished(
            {"embedded": done},
            effect=lambda connection: {"set_aside": spaces.aside(connection, used.space, self._tables)},
            left=lambda connection: has_work(connection, used, self._tables),
        )

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)
