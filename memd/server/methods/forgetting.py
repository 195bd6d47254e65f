"""The method ``forget``: removes turns for good. First it can be asked with ``dry_run`` what would go."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.server import scope
from memd.server.dispatch import Call, Method
from memd.server.params import Params, flag, integer, text
from memd.services import Services
from memd.sources import attribution, forgetting, titles
from memd.turns import forget, read
from memd.turns.forget import Wanted

CHUNK = 500
LOOK_SECONDS = 0.25

SCHEMA = {
    "id": text(optional=True),
    "session": text(optional=True),
    "folder": text(optional=True, most=16 << 10),
    "match": text(optional=True),
    "last": integer(0, optional=True),
    "dry_run": flag(),
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
        """What goes, or with ``dry_run`` would go: turns, sessions and titles, and the first few turns."""
        params = call.params
        _check(params)
        rows, untitled, answer = await self._services.db.read(_look, params)
        if params.flag("dry_run"):
            return {**answer, "dry_run": True}
        if not rows and not untitled:
            return {**answer, "dry_run": False, "compacted": True}
        job = await self._remove(call, rows, untitled)
        return {**answer, "dry_run": False, "compacted": await self._compacted(call, job)}

    async def _remove(self, call: Call, rows: Sequence[int], untitled: Sequence[str]) -> int:
        """Remove a chunk of turns a transaction, so that the import is not held up; the job that cleans up."""
        services = self._services

        def work(connection: Connection, chunk: Sequence[int], sessions: Sequence[str]) -> int:
            for session in sessions:
                titles.strike(connection, session)
            forgetting.remove(connection, chunk)
            return services.queue.enqueue_in(connection, kinds.COMPACT, "removed", None)

        job = await services.db.write(work, rows[:CHUNK], untitled)
        for at in range(CHUNK, len(rows), CHUNK):
            await call.event({"stage": "forget", "turns": at})
            job = await services.db.write(work, rows[at : at + CHUNK], ())
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


def _check(params: Params) -> None:
    which = [name for name in ("id", "session", "folder", "match") if params.maybe_text(name) is not None]
    project = params.maybe_text("project") is not None
    if len(which) > 1 or not (which or project) or (project and which in (["id"], ["session"])):
        raise BadRequest(
            "say what to forget: an id, a session, a project, or a match (in a project or in all)"
        )


def _look(connection: Connection, params: Params) -> tuple[list[int], list[str], read.Record]:
    """The turns' rows, the sessions whose title alone holds the text, and what an answer says of them."""
    match, where = params.maybe_text("match"), _scope(connection, params)
    folder = params.maybe_text("folder")
    wanted = Wanted(
        turn=params.maybe_text("id"),
        session=params.maybe_text("session"),
        sessions=None if folder is None else [row for row, _ in attribution.sessions_in(connection, folder)],
        projects=where.projects,
        match=match,
        last=params.maybe_integer("last"),
    )
    rows = forget.find(connection, wanted)
    untitled = forgetting.titled(connection, match, where.projects) if match else []
    newest = connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get
    answer = {
        **forget.preview(connection, rows),
        "titles": len(untitled),
        "scope": folder or where.name,
        "last": newest,
    }
    return rows, untitled, answer


def _scope(connection: Connection, params: Params) -> scope.Scope:
    """Where to forget; unlike a search, never in more than was clearly meant."""
    if params.maybe_text("match") is None and params.maybe_text("project") is None:
        return scope.ALL
    named = params.maybe_text("project")
    if named is not None:
        row = scope.project(connection, named)
        if row is None:
            raise scope.unknown(named)
        return scope.Scope([row], attribution.path_of(connection, row))
    where = scope.of(connection, params)
    if where.projects is None and not params.flag("all_projects"):
        raise BadRequest(
            "memd knows no project at the working directory: name one with --project, or --all-projects"
        )
    return where
