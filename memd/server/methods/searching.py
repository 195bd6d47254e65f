"""The method ``search``: turns by word and by meaning."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict

from memd.clock import iso, parse_when
from memd.db.driver import Connection
from memd.server import meaning, render, scope
from memd.server.dispatch import Call, Method
from memd.server.params import Params, choice, flag, integer, text
from memd.services import Services
from memd.turns import read, spaces
from memd.turns import search as finding

EMBED_SECONDS = 3.0

SCHEMA = {
    "query": text(),
    "limit": integer(1, 100, optional=True),
    "in": choice("all", "turns", "entries", "native", default="all"),
    "mode": choice("hybrid", "keyword", "vector", optional=True),
    "branch": text(optional=True),
    "session": text(optional=True),
    "role": choice("user", "assistant", "system", "tool", optional=True),
    "type": text(optional=True),
    "since": text(optional=True),
    "until": text(optional=True),
    "include_superseded": flag(),
    "subagents": flag(),
    "other_branches": flag(),
    "explain": flag(),
    "render": choice("text", "color", "json", optional=True),
    "width": integer(20, 1000, default=100),
    **scope.FIELDS,
}


class Searching:
    """Answers ``search`` from the services."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"search": Method(self.search, SCHEMA)}

    async def search(self, call: Call) -> Mapping[str, object]:
        """The answer of `interface.md`, rendered where the client asks for it."""
        with self._services.governor.question():
            answer = await self._answer(call.params, time.perf_counter())
        match call.params.maybe_text("render"):
            case "json":
                return {"output": render.as_json(answer)}
            case "text" | "color" as how:
                width = call.params.integer("width")
                return {"output": render.as_text(answer, color=how == "color", width=width)}
        return answer

    async def _answer(self, params: Params, began: float) -> dict[str, object]:
        services = self._services
        mode = params.maybe_text("mode") or services.default_mode
        used = services.embedding.serving  # one and the same for the vector and for the search with it
        vector, lane = None, meaning.NOT_ASKED_FOR
        if mode != "keyword":
            vector, lane = await meaning.vector_of(
                services, params.text("query"), used, seconds=EMBED_SECONDS
            )
        found = await services.db.read(self._read, params, mode, vector, used.space if used else None)
        where, results, share, newest = found
        lanes = {"keyword": "on" if mode != "vector" else meaning.NOT_ASKED_FOR, "vector": lane}
        if lane == meaning.ON and share < 1:
            lanes["vector"] = f"partial: {int(share * 100)}%"
        files, size = services.sources.behind()
        return {
            "query": params.text("query"),
            "results": [asdict(hit) for hit in results.hits],
            "lanes": lanes,
            "scope": where.name,
            "outside": results.outside,
            "fresh": {"behind_files": files, "behind_bytes": size, "newest_turn_at": newest},
            "elapsed_ms": round((time.perf_counter() - began) * 1000, 1),
        }

    def _read(
        self,
        connection: Connection,
        params: Params,
        mode: str,
        vector: finding.Vector | None,
        space: int | None,
    ) -> tuple[scope.Scope, finding.Results, float, str | None]:
        services = self._services
        where = scope.of(connection, params)
        question = self._question(params, where, mode)
        if params.text("in") in ("entries", "native"):
            results = finding.NOTHING
        else:
            results = finding.search(connection, question, services.vectors, space, vector)
        share = spaces.share(connection, space) if space else 0.0
        newest = read.newest_ms(connection)
        return where, results, share, None if newest is None else iso(newest)

    def _question(self, params: Params, where: scope.Scope, mode: str) -> finding.Question:
        now_ms = self._services.clock.now_ms()
        since, until = params.maybe_text("since"), params.maybe_text("until")
        return finding.Question(
            text=params.text("query"),
            limit=params.maybe_integer("limit") or self._services.default_limit,
            mode=mode,
            project_ids=where.projects,
            branch=params.maybe_text("branch"),
            session=params.maybe_text("session"),
            role=params.maybe_text("role"),
            since_ms=parse_when(since, now_ms) if since else None,
            until_ms=parse_when(until, now_ms) if until else None,
            subagents=params.flag("subagents"),
            other_branches=params.flag("other_branches"),
        )
