"""A few connections to a server that may be away: opened when they are needed, never waited for in vain.

psycopg's own pool tries again in the background, ever more seldom, and tells who asks only that it took too long. Who
asks here tries itself, hears at once what is wrong, and finds a server that came back when asked the next time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from memd.errors import Busy, StorageFailed
from memd.turns.stores.postgres import driver
from memd.turns.stores.postgres.driver import Attentive

CHECK_S = 5.0  # for one that lay at rest to say that it still lives
PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,  # milliseconds
}


class Connections:
    """At most so many connections at once. ValueError for an address that cannot be read; nobody need answer there."""

    def __init__(self, conninfo: str, most: int) -> None:
        self._address = driver.patient(conninfo, PATIENCE)
        self._resting: list[Attentive] = []
        self._lent: set[Attentive] = set()
        self._lock = Lock()
        self._free = BoundedSemaphore(most)
        self._closed = False

    def close(self) -> None:
        """Close those that are at rest; what is asked by another still gets its answer if that is on its way."""
        self._closed = True
        self._drop()
        with self._lock:
            for connection in self._lent:
                connection.patience_s = 0.0

    @contextmanager
    def lent(self) -> Iterator[Attentive]:
        """A connection that lives. Busy or StorageFailed, in seconds, where there is none to be had."""
        if self._closed:
            raise StorageFailed("the connections to the database are closed")
        if not self._free.acquire(timeout=driver.CONNECT_SECONDS):
            raise Busy("every connection to the database is in use; try again")
        try:
            with driver.translated():
                connection = self._living() or driver.connected(self._address)
                self._take(connection)
                try:
                    yield connection
                except driver.Error:
                    connection.close()  # a new one has what roles and settings are by then
                    raise
                finally:
                    self._back(connection)
        finally:
            self._free.release()

    def _living(self) -> Attentive | None:
        """One that lay at rest and still answers; where one does not, the others hardly will."""
        with self._lock:
            connection = self._resting.pop() if self._resting else None
        if connection is None:
            return None
        try:
            connection.patience_s = CHECK_S
            driver.run(connection, "SELECT 1")
        except driver.Silence:
            self._drop()
            raise
        except driver.Error:
            connection.close()
            self._drop()
            return None
        return connection

    def _take(self, connection: Attentive) -> None:
        with self._lock:
            self._lent.add(connection)
            connection.patience_s = 0.0 if self._closed else Attentive.patience_s

    def _back(self, connection: Attentive) -> None:
        with self._lock:
            self._lent.discard(connection)
            if not self._closed and driver.is_at_rest(connection):
                self._resting.append(connection)
                return
        connection.close()

    def _drop(self) -> None:
        with self._lock:
            resting, self._resting = self._resting, []
        for connection in resting:
            connection.close()
