"""The method ``forget``: removes turns and curated memory for good. With ``dry_run`` it tells first what would go.

Copies of the database from before still hold what went; with ``backups`` it goes from them too, and with ``backups``
alone everything that was ever forgotten does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from memd.db import journal
from memd.db.driver import Connection
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.reflection import proposal_table
from memd.server import meant, scope
from memd.server.dispatch import Call, Method
from memd.server.params import flag, integer, text
from memd.services import Services
from memd.sources import copies, curated, forgetting, titles
from memd.turns import tombstone_file, tombstones

CHUNK = 500
LOOK_SECONDS = 0.25

SCHEMA = {
    "id": text(optional=True),
    "session": text(optional=True),
    "folder": text(optional=True, most=16 << 10),
    "match": text(optional=True),
    "last": integer(0, optional=True),
    "last_entry": integer(0, optional=True),
    "dry_run": flag(),
    "backups": flag(),
    **scope.FIELDS,
}


class Forgetting:
    """Answers ``forget``."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"forget": Method(self.forget, SCHEMA, seconds=None)}

    async def forget(self, call: Call) -> Mapping[str, object]:
        """What goes, or with ``dry_run`` would go: turns, entries and titles, and the first few; the copies."""
        params = call.params
        meant.check(params)
        look = await self._services.db.read(meant.look, params)
        answer = {**look.answer, "dry_run": params.flag("dry_run"), "compacted": True}
        marks = set(await self._services.db.read(curated.marks, look.curated))
        if not params.flag("dry_run") and look.finds:
            file = tombstone_file.beside(self._services.db.path)
            # First: where there is no room for the marks, nothing is removed.
            await self._services.db.outside(
                _mark, file, [*(tombstones.of_turn(turn) for turn in look.turns), *marks]
            )
            job = await self._remove(call, look)
            await self._services.db.write(forgetting.level, file)
            answer["compacted"] = await self._compacted(call, job)
        if params.flag("backups") and not params.flag("dry_run"):
            return {**answer, "copies": [], **await self._cleanse(call)}
        return {**answer, "copies": await self._copies(look.turns, marks)}

    async def _copies(self, turns: Sequence[str], marks: Collection[bytes]) -> list[str]:
        """The copies that hold one of these turns, or what has one of these marks."""
        if marks:
            marks = {*marks, *await self._services.db.read(tombstones.all_of)}
        found = list[str]()
        for copy in copies.listing(self._services.db.path) if turns or marks else ():
            if await asyncio.to_thread(copies.hold, copy, turns, marks):
                found.append(str(copy))
        return found

    async def _cleanse(self, call: Call) -> Mapping[str, object]:
        """Take all that was ever forgotten out of the copies; which were rewritten, which had to be removed."""
        keys = await self._services.db.read(tombstones.all_of)
        done: dict[str, list[str]] = {"rewritten": [], "removed": []}
        for copy in copies.listing(self._services.db.path):
            await call.event({"stage": "backups", "file": copy.name})
            if what := await asyncio.to_thread(copies.cleanse, copy, keys):
                done[what].append(str(copy))
        return done

    async def _remove(self, call: Call, look: meant.Look) -> int:
        """Remove a chunk of turns a transaction, so that the import is not held up; the job that cleans up."""
        services, rows = self._services, look.rows
        what, now_ms = _said(look), services.clock.now_ms()

        def work(connection: Connection, chunk: Sequence[int], first: bool) -> int:
            if first:
                for session in look.untitled:
                    titles.strike(connection, session)
                forgetting.remove_curated(connection, look.curated)
                if look.curated.match is not None and look.curated.of is None:
                    proposal_table.forget(connection, look.curated.match)
                journal.mark(connection, what, now_ms)
            forgetting.remove(connection, chunk)
            return services.queue.enqueue_in(connection, kinds.COMPACT, "removed", None)

        job = await services.db.write(work, rows[:CHUNK], True)
        for at in range(CHUNK, len(rows), CHUNK):
            await call.event({"stage": "forget", "turns": at})
            job = await services.db.write(work, rows[at : at + CHUNK], False)
        services.vectors.release()
        services.queue.wake()
        return job

    async def _compacted(self, call: Call, job: int) -> bool:
        """Wait until nothing is left in free pages; False where that failed, and `memctl jobs` says why."""
        ended = (State.DONE, State.DEAD, State.CANCELLED)
        while (state := (await self._services.db.read(table.get, job)).state) not in ended:
            await call.event({"stage": "compact"})
            await asyncio.sleep(LOOK_SECONDS)
        return state is State.DONE


def _said(look: meant.Look) -> str:
    """How much of what goes, and nothing of it."""
    known = look.curated
    counts = {
        "turns": len(look.rows),
        "titles": len(look.untitled),
        "entries": len({*known.entries, *(int(str(one.row[1][0])) for one in known.undoable)}),
        "things of the graph": len(known.things),
        "observations": known.observations,
    }
    return f"forget {', '.join(f'{count} {name}' for name, count in counts.items() if count)}"


def _mark(_: Connection, file: Path, keys: Sequence[bytes]) -> None:
    """On the writer's thread, where every other mark is made: two at once would write over each other."""
    tombstone_file.add(file, keys)
