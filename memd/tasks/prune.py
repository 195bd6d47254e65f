"""The job kind ``prune``: forgets ended jobs, old changes, and the vectors of spaces that nobody asks any more.

Turns stay.
"""

from __future__ import annotations

from memd.clock import Clock
from memd.db import journal
from memd.db.driver import Connection
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.turns import spaces

DAY_MS = 86_400_000


class Prune:
    """The handler."""

    def __init__(self, clock: Clock, space: int | None, *, job_days: int, journal_days: int) -> None:
        self._clock, self._space = clock, space
        self._job_days, self._journal_days = job_days, journal_days

    async def run(self, job: Job) -> Outcome:
        """Remove what is over its time; how much it was."""
        return Finished(effect=self._prune)

    def _prune(self, connection: Connection) -> dict[str, object]:
        now_ms, space = self._clock.now_ms(), self._space
        return {
            "jobs": table.prune(connection, now_ms - self._job_days * DAY_MS),
            "changes": journal.prune(connection, now_ms - self._journal_days * DAY_MS),
            "spaces": spaces.drop_others(connection, space) if space else 0,
        }
