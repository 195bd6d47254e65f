"""The methods that show what is stored: show, session, sessions, list, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memd.clock import parse_when
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.server import entries, scope, which
from memd.server.dispatch import Call, Method
from memd.server.params import Params, choice, integer, text
from memd.services import Services
from memd.turns import read
from memd.turns.read import Which

PAGE_BYTES = 2 << 20

_OF_TURNS = ("session", "role")
_OF_ENTRIES = ("type", "scope", "branch", "include_superseded")
_TIMES = {"since": text(optional=True), "until": text(optional=True)}


class Reading:
    """Answers from the turns and sessions that are stored."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        page = {"limit": integer(1, 1000, default=50), "offset": integer(0, default=0)}
        return {
            "show": Method(self.show, {"id": text(), "around": integer(0, 50, default=0), **scope.FIELDS}),
            "session": Method(self.session, {"id": text(), **page, **scope.FIELDS}),
            "sessions": Method(
                self.sessions, {"limit": integer(1, 1000, default=30), **_TIMES, **scope.FIELDS}
            ),
            "list": Method(
                self.list,
                {
                    "kind": choice("turns", "entries", default="turns"),
                    "session": text(optional=True),
                    "role": choice("user", "assistant", "system", "tool", optional=True),
                    **page,
                    **which.FIELDS,
                },
            ),
            "export": Method(
                self.export,
                {
                    "cursor": integer(0, default=0),
                    "limit": integer(1, optional=True),
                    **_TIMES,
                    **scope.FIELDS,
                },
            ),
        }

    async def show(self, call: Call) -> Mapping[str, object]:
        """An entry with what it rests on and what stands before and after it; or a turn, with its neighbours."""

        def work(connection: Connection) -> Mapping[str, object]:
            asked, where = call.params.text("id"), scope.of(connection, call.params)
            if entry := entries.show(connection, asked, where):
                return entry
            if where.projects is not None:
                where.check(
                    f"turn {asked}", read.project_of_turn(connection, read.turn_id(connection, asked))
                )
            return {"turns": read.show(connection, asked, call.params.integer("around"))}

        return await self._services.db.read(work)

    async def session(self, call: Call) -> Mapping[str, object]:
        """One session and a page of its turns."""
        limit, offset = call.params.integer("limit"), call.params.integer("offset")

        def work(connection: Connection) -> dict[str, object]:
            where, key = (
                scope.of(connection, call.params),
                read.session_key(connection, call.params.text("id")),
            )
            where.check(f"session {key}", read.project_of_session(connection, key))
            return read.session(connection, key, limit=limit, offset=offset)

        return await self._services.db.read(work)

    async def sessions(self, call: Call) -> Mapping[str, object]:
        """The latest sessions of the scope."""

        def work(connection: Connection) -> dict[str, object]:
            where = scope.of(connection, call.params)
            found = read.sessions(
                connection, self._which(call.params, where), limit=call.params.integer("limit")
            )
            return {"sessions": found, "scope": where.name}

        return await self._services.db.read(work)

    async def list(self, call: Call) -> Mapping[str, object]:
        """The latest turns of the scope, or its entries."""
        params = call.params
        of_entries = params.text("kind") == "entries"
        _refuse(params, _OF_TURNS if of_entries else _OF_ENTRIES, "turns" if of_entries else "entries")

        def work(connection: Connection) -> dict[str, object]:
            where = scope.of(connection, params)
            limit, offset = params.integer("limit"), params.integer("offset")
            if of_entries:
                asked = which.of(params, where, self._services.clock.now_ms())
                return {"entries": entries.listing(connection, asked, limit, offset), "scope": where.name}
            wanted = self._which(params, where, params.maybe_text("session"), params.maybe_text("role"))
            return {"turns": read.turns(connection, wanted, limit=limit, offset=offset), "scope": where.name}

        return await self._services.db.read(work)

    async def export(self, call: Call) -> Mapping[str, object]:
        """A page of all turns, and the cursor of the next one."""

        def work(connection: Connection) -> dict[str, object]:
            which = self._which(call.params, scope.of(connection, call.params))
            after = call.params.integer("cursor")
            turns, following = read.export(connection, which, after=after, most_bytes=PAGE_BYTES)
            return {"turns": turns, "next": following}

        return await self._services.db.read(work)

    def _which(
        self, params: Params, where: scope.Scope, session: str | None = None, role: str | None = None
    ) -> Which:
        now_ms = self._services.clock.now_ms()
        since, until = params.maybe_text("since"), params.maybe_text("until")
        return Which(
            projects=where.projects,
            session=session,
            role=role,
            since_ms=parse_when(since, now_ms) if since else None,
            until_ms=parse_when(until, now_ms) if until else None,
        )


def _refuse(params: Params, names: Sequence[str], what: str) -> None:
    """BadRequest where something is asked for that what is listed does not have."""
    if given := [name for name in names if params.given(name)]:
        raise BadRequest(f"{given[0]} is of {what} alone")
