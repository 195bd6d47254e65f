"""What the schedule asks for: a reflection of every scope that is worth one, and only where it was turned on.

A scope whose last job of today came to nothing is left alone until tomorrow: it would be paid for again and again.
"""

from __future__ import annotations

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.reflection import due
from memd.services import Queue
from memd.tasks.reflect import Asked

QUIET_MS = 20 * 3_600_000


class ReflectSoon:
    """Asks for reflections; it does none itself."""

    def __init__(self, db: Database, clock: Clock, queue: Queue, min_new: int, after_entries: int) -> None:
        self._db, self._clock, self._queue = db, clock, queue
        self._min_new, self._after_entries = min_new, after_entries

    async def daily(self) -> int:
        """What has enough for a reflection; how many jobs there are for it."""
        return await self._ask(self._min_new)

    async def look(self) -> int:
        """What has so much that it does not wait for its hour."""
        return await self._ask(max(self._min_new, self._after_entries))

    async def _ask(self, least: int) -> int:
        if not await self._db.read(due.scopes, least):
            return 0
        asked = await self._db.write(self._enqueue, least)
        self._queue.wake()
        return asked

    def _enqueue(self, connection: Connection, least: int) -> int:
        since_ms, asked = self._clock.now_ms() - QUIET_MS, 0
        for project in due.scopes(connection, least):
            key = key_of(project)
            if not table.has_ended(connection, kinds.REFLECT, key, State.DEAD, since_ms):
                self._queue.enqueue_in(connection, kinds.REFLECT, key, Asked(project, drain=True).payload())
                asked += 1
        return asked


def key_of(project: int | None) -> str:
    """The key of the jobs that reflect on a project, or on all."""
    return "all" if project is None else f"project {project}"
