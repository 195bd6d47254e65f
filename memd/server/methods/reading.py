"""The methods that show what is stored: show, session, sessions, list, export."""

from __future__ import annotations

from collections.abc import Mapping

from memd.clock import parse_when
from memd.db.driver import Connection
from memd.server import scope
from memd.server.dispatch import Call, Method
from memd.server.params import Params, choice, integer, text
from memd.services import Services
from memd.turns import read
from memd.turns.read import Which

PAGE_BYTES = 2 << 20

_TIMES = {"since": text(optional=True), "until": text(optional=True)}


class Reading:
    """Answers from the turns and sessions that are stored."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        page = {"limit": integer(1, 1000, default=50), "offset": integer(0, default=0)}
        return {
            "show": Method(self.show, {"id": text(), "around": integer(0, 50, default=0)}),
            "session": Method(self.session, {"id": text(), **page}),
            "sessions": Method(
                self.sessions, {"limit": integer(1, 1000, default=30), **_TIMES, **scope.FIELDS}
            ),
            "list": Method(
                self.list,
                {
                    "kind": choice("turns", default="turns"),
                    "session": text(optional=True),
                    "role": choice("user", "assistant", "system", "tool", optional=True),
                    **page,
                    **_TIMES,
                    **scope.FIELDS,
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
        """One turn, with its neighbours where asked."""
        turns = await self._services.db.read(read.show, call.params.text("id"), call.params.integer("around"))
        return {"turns": turns}

    async def session(self, call: Call) -> Mapping[str, object]:
        """One session and a page of its turns."""
        limit, offset = call.params.integer("limit"), call.params.integer("offset")
        return await self._services.db.read(read.session, call.params.text("id"), limit=limit, offset=offset)

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
        """The latest turns of the scope."""

        def work(connection: Connection) -> dict[str, object]:
            where = scope.of(connection, call.params)
            which = self._which(
                call.params, where, call.params.maybe_text("session"), call.params.maybe_text("role")
            )
            limit, offset = call.params.integer("limit"), call.params.integer("offset")
            found = read.turns(connection, which, limit=limit, offset=offset)
            return {"turns": found, "scope": where.name}

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
