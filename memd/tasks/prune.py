"""The job kind ``prune``: forgets ended jobs and the vectors of spaces that nobody asks any more. Turns stay."""

from __future__ import annotations

from memd.clock import Clock
from memd.db.driver import Connection
from memd.jobs import table
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.turns import spaces

DAY_MS = 86_400_000


class Prune:
    """The handler."""

    def __init__(self, clock: Clock, space: int | None, *, job_days: int) -> None:
        self._clock, self._space, self._job_days = clock, space, job_days

    async def run(self, job: Job) -> Outcome:
        """Remove what is over its time; how much it was."""
        before = self._clock.now_ms() - self._job_days * DAY_MS
        return Finished(effect=lambda connection: _prune(connection, before, self._space))


def _prune(connection: Connection, before_ms: int, space: int | None) -> dict[str, object]:
    dropped = spaces.drop_others(connection, space) if space else 0
    return {"jobs": table.prune(connection, before_ms), "spaces": dropped}
