"""The job kind ``prune``: forgets ended jobs, old changes, and the vectors of spaces that have had their time.

Turns stay.
"""

from __future__ import annotations

from memd.clock import Clock
from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.turns import serving

DAY_MS = 86_400_000


class Prune:
    """The handler."""

    def __init__(self, db: Database, clock: Clock, *, job_days: int, journal_days: int) -> None:
        self._db, self._clock = db, clock
        self._job_days, self._journal_days = job_days, journal_days

    async def run(self, job: Job) -> Outcome:
        """Remove what is over its time; how much it was."""
        vectors = 0
        while dropped := await self._db.write(serving.drop_retired):
            vectors += dropped
        return Finished({"vectors": vectors}, effect=self._prune)

    def _prune(self, connection: Connection) -> dict[str, object]:
        now_ms = self._clock.now_ms()
        return {
            "jobs": table.prune(connection, now_ms - self._job_days * DAY_MS),
            "changes": journal.prune(connection, now_ms - self._journal_days * DAY_MS),
        }
