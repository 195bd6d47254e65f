"""The job kind ``prune``: forgets ended jobs and the vectors of spaces that nobody asks any more. Turns stay."""

from __future__ import annotations

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.worker import Finished, Outcome
from memd.turns import spaces

DAY_MS = 86_400_000


class Prune:
    """The handler."""

    def __init__(self, db: Database, clock: Clock, space: int | None, *, job_days: int) -> None:
        self._db, self._clock, self._space, self._job_days = db, clock, space, job_days

    async def run(self, job: Job) -> Outcome:
        """Remove what is over its time; how much it was."""
        before = self._clock.now_ms() - self._job_days * DAY_MS
        jobs, dropped = await self._db.write(_prune, before, self._space)
        return Finished({"jobs": jobs, "spaces": dropped})


def _prune(connection: Connection, before_ms: int, space: int | None) -> tuple[int, int]:
    return table.prune(connection, before_ms), spaces.drop_others(connection, space) if space else 0
