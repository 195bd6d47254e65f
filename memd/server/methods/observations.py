"""The methods of observation logs: observations, and restore."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memd.clock import iso
from memd.db.driver import Connection
from memd.errors import BadRequest, Degraded
from memd.jobs import kinds, pauses
from memd.reflection import observed
from memd.server import records, scope
from memd.server.dispatch import Call, Method
from memd.server.params import flag, integer, text
from memd.server.records import Record
from memd.services import Services
from memd.sources import observation_figures, observations
from memd.sources.observation_table import Stored


class Observations:
    """Answers what was captured, and brings back what became of it."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        schema = {
            "day": text(optional=True),
            "entries": flag(),
            "project": text(optional=True, most=16 << 10),
            "limit": integer(1, 1000, optional=True),
        }
        return {
            "observations": Method(self.observations, schema),
            "restore": Method(self.restore, {"dry_run": flag()}, seconds=None),
        }

    async def observations(self, call: Call) -> Mapping[str, object]:
        """Batches by their day, the newest day first; or the entries they led to, with whether reflection saw them."""
        if not call.params.flag("entries"):
            return await self._services.db.read(self._batches, call)
        if call.params.maybe_text("day"):
            raise BadRequest("entries are not listed by the day of a log; leave one of day and entries out")
        return await self._services.db.read(self._entries, call)

    def _batches(self, connection: Connection, call: Call) -> Mapping[str, object]:
        day, project = call.params.maybe_text("day"), call.params.maybe_text("project")
        if day is not None and not observations.is_day(day):
            raise BadRequest(f"{day!r} is no day: YYYY-MM-DD")
        names = [project, os.path.basename(project)] if project else []
        days: dict[str, list[Record]] = {}
        for on, stored in observation_figures.batches(
            connection, call.params.maybe_integer("limit") or 7, day, names
        ):
            days.setdefault(on, []).append(_batch(stored))
        return {"days": [{"day": on, "batches": batches} for on, batches in days.items()]}

    def _entries(self, connection: Connection, call: Call) -> Mapping[str, object]:
        named = call.params.maybe_text("project")
        row = None if named is None else scope.project(connection, named)
        if named is not None and row is None:
            raise scope.unknown(named)
        found = observed.listing(connection, row, call.params.maybe_integer("limit") or 100)
        return {"entries": [{**records.of_entry(entry), "reflected": seen} for entry, seen in found]}

    async def restore(self, call: Call) -> Mapping[str, object]:
        """Read all logs again, and store what of them is not among the entries; with ``dry_run`` only say how much."""
        dry_run = call.params.flag("dry_run")
        if not dry_run:
            await refuse_paused(self._services)
        return await self._services.restore(dry_run, call.event)


async def refuse_paused(services: Services) -> None:
    """Degraded where nothing is absorbed now, so that nobody waits for it."""
    for paused in await services.db.read(pauses.listing):
        if paused.kind == kinds.ABSORB:
            raise Degraded(f"absorbing is paused: {paused.reason}; memctl jobs resume {paused.kind}")


def _batch(stored: Stored) -> Record:
    return {
        "id": stored.id,
        "timestamp": iso(stored.at_ms),
        "trigger": stored.trigger,
        "project": stored.project,
        "branch": stored.branch,
        "counts": observations.counts(stored.extraction),
        "absorbed": stored.absorbed_ms is not None,
        "entries": sorted(set(stored.entries.values())),
    }
