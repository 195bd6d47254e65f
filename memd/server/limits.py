"""How much the server lets its clients have: the limits, and the gate that keeps one of them."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The limits of the socket. Seconds are counted on the event loop's clock."""

    clients: int = 256
    in_flight_each: int = 8
    in_flight_all: int = 64
    fleeting_at_once: int = 8  # of calls whose clients soon give up
    frame_seconds: float = 5.0  # for one frame, from its first byte
    idle_seconds: float = 300.0
    take_seconds: float = 10.0  # for the client to take what was written to it
    unsent_bytes: int = 64 << 20  # over all clients; who asks for more without reading is dropped
    kept_files: int = 40  # descriptors that clients leave for the database, the watcher and the log

    def client_limit(self) -> int:
        """How many clients the process's descriptors allow; a few in any case."""
        soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft == resource.RLIM_INFINITY:
            return self.clients
        return min(self.clients, max(4, soft - self.kept_files))


class Gate:
    """At most so many calls at once over all connections. Those that wait get the free places in turn.

    With ``newest_first`` whoever came last is next: where not all can be served in time, those are who still wait.
    """

    def __init__(self, places: int, *, newest_first: bool = False) -> None:
        self._free = places
        self._newest_first = newest_first
        self._waiting: dict[Callable[[], None], None] = {}  # in the order they came

    def enter(self, wake: Callable[[], None]) -> bool:
        """Take a place, or be woken when there may be one."""
        if self._free:
            self._free -= 1
            return True
        self._waiting.setdefault(wake)
        return False

    def leave(self) -> None:
        """Give a place back and wake who is next."""
        self._free += 1
        while self._free and self._waiting:
            wake = next(reversed(self._waiting) if self._newest_first else iter(self._waiting))
            del self._waiting[wake]
            wake()

    def forget(self, wake: Callable[[], None]) -> None:
        """Wake this one no more."""
        self._waiting.pop(wake, None)
