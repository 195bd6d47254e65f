"""The job kind ``reindex``: vectors anew for every text, or for those that have none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from memd.db.database import Database
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.turns import spaces


class Reindex:
    """The handler: it fills the backlog, ``embed_turns`` does the rest."""

    def __init__(self, db: Database, space: int, embed: Callable[[], Awaitable[int]]) -> None:
        self._db, self._space, self._embed = db, space, embed

    async def run(self, job: Job) -> Outcome:
        """Fill the backlog and ask for the embedding."""
        missing = bool(job.payload.get("missing"))
        waiting = await self._db.write(spaces.start_over, self._space, missing=missing)
        return Finished({"waiting": waiting, "job": await self._embed()})
