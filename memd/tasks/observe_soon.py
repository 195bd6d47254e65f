"""What the schedule asks for once extraction is turned on: that sessions are read after they have been quiet a while.

What was said before memd's first start on this home is history: it is read only when somebody asks.
"""

from __future__ import annotations

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.services import Queue
from memd.tasks.observe_session import payload
from memd.turns import unobserved

AT_ONCE = 20
QUIET_MS = 20 * 3_600_000  # after a job that came to nothing
FIRST_START = "first_start"


class ObserveSoon:
    """Asks for sessions to be read; it reads none itself."""

    def __init__(self, db: Database, clock: Clock, queue: Queue, quiet_minutes: int) -> None:
        self._db, self._clock, self._queue = db, clock, queue
        self._quiet_ms = quiet_minutes * 60_000

    async def look(self) -> int:
        """Ask for the sessions that are quiet now and have something new; how many there are."""
        if not await self._db.read(self._quiet):
            return 0
        asked = await self._db.write(self._enqueue)
        self._queue.wake()
        return asked

    def _quiet(self, connection: Connection) -> list[str]:
        now_ms, first_ms = self._clock.now_ms(), first_start(connection)
        if first_ms is None:
            return []
        found = unobserved.sessions(
            connection, "s.last_ms <= ?", (now_ms - self._quiet_ms,), AT_ONCE, since_ms=first_ms
        )
        since_ms = now_ms - QUIET_MS
        return [
            key
            for _, key, _ in found
            if not table.has_ended(connection, kinds.OBSERVE, key, State.DEAD, since_ms)
        ]

    def _enqueue(self, connection: Connection) -> int:
        sessions, since_ms = self._quiet(connection), first_start(connection)
        for key in sessions:
            self._queue.enqueue_in(connection, kinds.OBSERVE, key, payload(key, since_ms))
        return len(sessions)


def note_first_start(connection: Connection, now_ms: int) -> None:
    """Note when memd began on this home, unless that is noted."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (FIRST_START, str(now_ms)))


def first_start(connection: Connection) -> int | None:
    """When memd began on this home."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (FIRST_START,)).get
    return None if found is None else int(found)
