"""The method ``search``: turns, entries and memory files, by word and by meaning, in one list."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from memd.clock import iso, parse_when
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS, TEXTS, VectorTable
from memd.db.vectors import Lane
from memd.errors import BadRequest
from memd.memory import search as entries
from memd.memory import sections
from memd.memory.entry import MemoryScope
from memd.server import finding, meaning, render, scope, which
from memd.server.dispatch import Call, Method
from memd.server.finding import Asked, Results
from memd.server.params import Params, choice, flag, integer, text
from memd.services import InUse, Services
from memd.turns import read, spaces
from memd.turns import search as turns

KINDS: Mapping[str, Sequence[VectorTable]] = {
    "all": (TEXTS, ENTRIES, SECTIONS),
    "turns": (TEXTS,),
    "entries": (ENTRIES,),
    "native": (SECTIONS,),
}
OF_TURNS = ("role", "session")
OF_ENTRIES = ("type", "scope")

SCHEMA = {
    "query": text(),
    "limit": integer(1, 100, optional=True),
    "in": choice(*KINDS, default="all"),
    "mode": choice("hybrid", "keyword", "vector", optional=True),
    "rank": choice("fused", "seed", default="fused"),
    "session": text(optional=True),
    "role": choice("user", "assistant", "system", "tool", optional=True),
    "subagents": flag(),
    "other_branches": flag(),
    "explain": flag(),
    "render": choice("text", "color", "tsv", "json", optional=True),
    "width": integer(20, 1000, default=100),
    **which.FIELDS,
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
            case "tsv":
                return {"output": render.as_tsv(answer), "remark": render.as_remark(answer)}
            case "text" | "color" as how:
                width = call.params.integer("width")
                return {"output": render.as_text(answer, color=how == "color", width=width)}
        return answer

    async def _answer(self, params: Params, began: float) -> dict[str, object]:
        services, kinds = self._services, _kinds(params)
        mode = params.maybe_text("mode") or services.default_mode
        used = services.embedding.serving  # one and the same for the vector and for the search with it
        lane, state = await self._lane(params.text("query"), mode, used)
        found = await services.db.read(self._read, params, mode, kinds, lane)
        where, results, share, newest = found
        lanes = {"keyword": meaning.ON if mode != "vector" else meaning.NOT_ASKED_FOR, "vector": state}
        if state == meaning.ON and share < 1:
            lanes["vector"] = f"partial: {int(share * 100)}%"
        files, size = services.sources.behind()
        away = services.shared.away_since if services.shared else None
        return {
            "query": params.text("query"),
            "results": results.records,
            "lanes": lanes,
            "scope": where.name,
            "outside": results.outside,
            **({"note": results.note} if results.note else {}),
            "fresh": {
                "behind_files": files,
                "behind_bytes": size,
                "newest_turn_at": newest,
                **({"store_away_since": away} if away else {}),
            },
            "elapsed_ms": round((time.perf_counter() - began) * 1000, 1),
        }

    def _read(
        self, connection: Connection, params: Params, mode: str, kinds: Sequence[VectorTable], lane: Lane
    ) -> tuple[scope.Scope, Results, float, str | None]:
        where = scope.of(connection, params)
        results = finding.find(connection, self._asked(params, where, mode, kinds), lane)
        share = spaces.share(connection, lane.space, kinds) if lane.space else 0.0
        newest = read.newest_ms(connection)
        return where, results, share, None if newest is None else iso(newest)

    def _asked(self, params: Params, where: scope.Scope, mode: str, kinds: Sequence[VectorTable]) -> Asked:
        limit = params.maybe_integer("limit") or self._services.default_limit
        return Asked(
            params.text("query"),
            limit,
            self._of_turns(params, where, mode, limit) if TEXTS in kinds else None,
            self._of_entries(params, where, mode, limit) if ENTRIES in kinds else None,
            self._of_sections(params, where, mode, limit) if SECTIONS in kinds else None,
            seed=params.text("rank") == "seed",
            explain=params.flag("explain"),
        )

    def _of_turns(self, params: Params, where: scope.Scope, mode: str, limit: int) -> turns.Question:
        since_ms, until_ms = self._times(params)
        return turns.Question(
            text=params.text("query"),
            limit=limit,
            mode=mode,
            project_ids=where.projects,
            branch=params.maybe_text("branch"),
            session=params.maybe_text("session"),
            role=params.maybe_text("role"),
            since_ms=since_ms,
            until_ms=until_ms,
            subagents=params.flag("subagents"),
            other_branches=params.flag("other_branches"),
        )

    def _of_entries(self, params: Params, where: scope.Scope, mode: str, limit: int) -> entries.Question:
        now_ms = self._services.clock.now_ms()
        asked = which.of(params, where, now_ms)
        return entries.Question(
            text=params.text("query"),
            now_ms=now_ms,
            which=asked,
            asked=MemoryScope(where.projects[0], asked.branch) if where.projects else MemoryScope(),
            limit=limit,
            mode=mode,
            scoring=self._services.scoring,
        )

    def _of_sections(self, params: Params, where: scope.Scope, mode: str, limit: int) -> sections.Question:
        since_ms, until_ms = self._times(params)
        return sections.Question(params.text("query"), where.projects, limit, mode, since_ms, until_ms)

    def _times(self, params: Params) -> tuple[int | None, int | None]:
        now_ms = self._services.clock.now_ms()
        since, until = params.maybe_text("since"), params.maybe_text("until")
        return parse_when(since, now_ms) if since else None, parse_when(until, now_ms) if until else None

    async def _lane(self, query: str, mode: str, used: InUse | None) -> tuple[Lane, str]:
        """The lane of meaning and its state; where it is off the words answer alone."""
        if mode == "keyword":
            return Lane(self._services.vectors, used.space if used else None), meaning.NOT_ASKED_FOR
        return await meaning.of_question(self._services, query, used)


def _kinds(params: Params) -> Sequence[VectorTable]:
    """What is looked in: what was asked for, less what a filter leaves nothing of. BadRequest where that is all."""
    kinds = KINDS[params.text("in")]
    for names, only in ((OF_TURNS, TEXTS), (OF_ENTRIES, ENTRIES)):
        if any(params.maybe_text(name) for name in names):
            kinds = [kind for kind in kinds if kind is only]
    if params.text("rank") == "seed":
        kinds = [kind for kind in kinds if kind is ENTRIES]
    if not kinds:
        raise BadRequest(
            "nothing is left to look in: role and session are of turns; type, scope and the seed's rank of entries"
        )
    return kinds
