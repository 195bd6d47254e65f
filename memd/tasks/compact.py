"""The job kind ``compact``: after a removal nothing of the text is left in the index, in free pages or in the WAL."""

from __future__ import annotations

import asyncio

from memd.db import check, driver
from memd.db.database import Database
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Outcome
from memd.sources import forgetting

READERS_SECONDS = 2.0


class Compact:
    """The handler. It is asked for in the transaction of the removal, so that no crash comes between."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, job: Job) -> Outcome:
        """Rewrite the database without what is gone, and again where more went meanwhile."""
        before = await self._db.read(forgetting.removals)
        emptied = await self._db.outside(check.compact)
        while not emptied:  # a copy is being taken, or a check runs: it ends by itself
            await asyncio.sleep(READERS_SECONDS)
            emptied = await self._db.outside(driver.empty_wal)
        return Finished({}, left=lambda connection: forgetting.removals(connection) != before)
