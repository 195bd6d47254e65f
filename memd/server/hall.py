"""What the connections of one server share: the methods, the limits, the places, and who is there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.server.dispatch import Dispatcher, Method
from memd.server.limits import Gate, ServerOptions

if TYPE_CHECKING:
    from memd.server.connection import Connection


@dataclass(slots=True)
class Hall:
    """One server's."""

    dispatcher: Dispatcher
    options: ServerOptions
    gate: Gate = field(init=False)
    fleeting: Gate = field(init=False)
    present: set[Connection] = field(default_factory=set)
    emptied: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate = Gate(self.options.in_flight_all)
        self.fleeting = Gate(self.options.fleeting_at_once, newest_first=True)

    def gate_of(self, method: Method | None) -> Gate | None:
        """Where a call of the method waits for its turn; None for one that waits nowhere."""
        if method is None or method.immediate:
            return None
        return self.fleeting if method.fleeting else self.gate

    def unsent(self) -> int:
        """Bytes written for clients that have not taken them yet."""
        return sum(connection.unsent for connection in self.present)

    def leave(self, connection: Connection) -> None:
        """The connection is over."""
        self.present.discard(connection)
        if not self.present:
            self.emptied.set()
