"""What the schedule asks for once extraction is turned on: that sessions are read after they have been quiet a while.

What was said before memd's first start on this home is history: it is read only when somebody asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.services import Queue
from memd.tasks.observe_session import payload
from memd.turns import unobserved

AT_ONCE = 20
LOOKED_AT = 1_000
QUIET_MS = 20 * 3_600_000  # after a job that came to nothing
FIRST_START = "first_start"


class ObserveSoon:
    """Asks for sessions to be read; it reads none itself.

    ``is_excluded``: the paths of projects of which nothing goes to a model.
    """

    def __init__(
        self, db: Database, clock: Clock, queue: Queue, quiet_minutes: int, is_excluded: Callable[[str], bool]
    ) -> None:
        self._db, self._clock, self._queue = db, clock, queue
        self._quiet_ms, self._is_excluded = quiet_minutes * 60_000, is_excluded

    async def look(self) -> int:
        """Ask for the sessions that are quiet now and have something new; how many there are."""
        found = await self._db.read(self._quiet)
        sessions = await asyncio.to_thread(self._chosen, found)
        if sessions:
            await self._db.write(self._enqueue, sessions)
            self._queue.wake()
        return len(sessions)

    def _quiet(self, connection: Connection) -> Sequence[tuple[str, str | None]]:
        """Their ids, and the paths of their projects; none whose last job came to nothing a short while ago."""
        now_ms, first_ms = self._clock.now_ms(), first_start(connection)
        if first_ms is None:
            return []
        which, times = "s.last_ms >= ? AND s.last_ms <= ?", (first_ms, now_ms - self._quiet_ms)
        found = unobserved.sessions(connection, which, times, LOOKED_AT, since_ms=first_ms)
        since_ms = now_ms - QUIET_MS
        return [
            (key, project)
            for _, key, project in found
            if not table.has_ended(connection, kinds.OBSERVE, key, State.DEAD, since_ms)
        ]

    def _chosen(self, found: Sequence[tuple[str, str | None]]) -> Sequence[str]:
        sent = (key for key, project in found if project is None or not self._is_excluded(project))
        return list(islice(sent, AT_ONCE))

    def _enqueue(self, connection: Connection, sessions: Sequence[str]) -> None:
        since_ms = first_start(connection)
        for key in sessions:
            self._queue.enqueue_in(connection, kinds.OBSERVE, key, payload(key, since_ms))


def note_first_start(connection: Connection, now_ms: int) -> None:
    """Note when memd began on this home, unless that is noted."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (FIRST_START, str(now_ms)))


def first_start(connection: Connection) -> int | None:
    """When memd began on this home."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (FIRST_START,)).get
    return None if found is None else int(found)
