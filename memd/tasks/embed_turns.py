"""The job kind ``embed_turns``: works the backlog of the vector space off.

State is truth: the job ends when the backlog is empty, whatever asked for it. Text search never waits for it.
"""

from __future__ import annotations

from memd.db.database import Database
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.services import Troubles
from memd.tasks.backlog import Backlog
from memd.turns import spaces

TRY_SECONDS = 30.0


class EmbedTurns:
    """The handler."""

    def __init__(self, db: Database, embedder: Embedder, troubles: Troubles, space: int) -> None:
        self._backlog = Backlog(db, embedder, space)
        self._troubles, self._space = troubles, space

    async def run(self, job: Job) -> Outcome:
        """Embed until nothing is left; wait where there is no model."""
        try:
            done = await self._backlog.work_off(job)
        except ModelUnavailable as error:
            self._troubles.raise_("embedding", error.what, error.hint)
            return Later(min(TRY_SECONDS, error.retry_s), error.message)
        if done:
            self._troubles.clear("embedding")
        return Finished(
            {"embedded": done},
            effect=lambda connection: {"set_aside": spaces.aside(connection, self._space)},
            left=lambda connection: spaces.is_behind(connection, self._space),
        )

    def per_second(self) -> float:
        """How many texts a second it embeds at present."""
        return self._backlog.rate.per_second()

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._backlog.close()
