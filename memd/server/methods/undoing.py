"""The methods of the journal: undo, and undo.list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from memd.clock import iso
from memd.db import journal
from memd.db.driver import Connection
from memd.db.journal import Entry
from memd.reflection import decide, proposal_table
from memd.server.dispatch import Call, Method
from memd.server.params import integer
from memd.services import Services


class Undoing:
    """Takes changes back."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {
            "undo": Method(self.undo, {"id": integer(1, optional=True)}),
            "undo.list": Method(self.list, {"limit": integer(1, 1000, default=30)}),
        }

    async def undo(self, call: Call) -> Mapping[str, object]:
        """Take back a change, or the last one that was not; which it was, and the change that this made."""
        number, now_ms = call.params.maybe_integer("id"), self._services.clock.now_ms()

        def work(connection: Connection) -> tuple[Entry, int | None]:
            before = proposal_table.decided(connection)
            undone = journal.undo(connection, number, now_ms)
            decide.require_known(before, proposal_table.decided(connection))
            self._services.embed_soon(connection)
            return undone

        entry, made = await self._services.db.write(work)
        self._services.queue.wake()
        # A decision about a proposal may have been taken back: its file follows, where its lines still allow it.
        left = await self._services.curated.settle()
        return {"undone": _record(entry), "change": made, "proposals_left_in_file": left}

    async def list(self, call: Call) -> Mapping[str, object]:
        """The last changes, newest first."""
        found = await self._services.db.read(journal.listing, call.params.integer("limit"))
        return {"changes": [_record(entry) for entry in found]}


def _record(entry: Entry) -> dict[str, object]:
    record = asdict(entry)
    return {"id": record.pop("id"), "at": iso(record.pop("at_ms")), **record}
