"""The methods of projects: list, alias, merge, canonicalize. What they change, `undo` takes back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping

from memd.db import journal
from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.server import scope
from memd.server.dispatch import Call, Method
from memd.server.params import flag, text
from memd.services import Services
from memd.sources import attribution, canonical, projects
from memd.turns import read


class Projects:
    """Answers which projects there are, and says which of them are one."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        path = text(most=16 << 10)
        return {
            "projects.list": Method(self.list, {}),
            "projects.alias": Method(self.alias, {"old": path, "new": path}),
            "projects.merge": Method(self.merge, {"from": path, "into": path}),
            "projects.canonicalize": Method(
                self.canonicalize, {"aliases": text(optional=True, most=16 << 10), "dry_run": flag()}
            ),
        }

    async def list(self, call: Call) -> Mapping[str, object]:
        """Every project."""
        return {"projects": await self._services.db.read(read.projects)}

    async def alias(self, call: Call) -> Mapping[str, object]:
        """Let a path stand for a project, or for a folder that is one; what memd holds under it goes there."""
        old, new = call.params.text("old"), call.params.text("new")

        def unite(connection: Connection) -> tuple[int, int]:
            into = scope.project(connection, new)
            if into is None and os.path.isdir(new):
                into = attribution.row_of(connection, projects.identify(new))
            return _united(connection, old, into if into is not None else _known(connection, new))

        return await self._recorded(f"projects alias {old} {new}", unite)

    async def merge(self, call: Call) -> Mapping[str, object]:
        """Give all that a project has to another one, which answers to its path and name too from then on."""
        one, into = call.params.text("from"), call.params.text("into")

        def unite(connection: Connection) -> tuple[int, int]:
            _known(connection, one)
            return _united(connection, one, _known(connection, into))

        return await self._recorded(f"projects merge {one} {into}", unite)

    async def canonicalize(self, call: Call) -> Mapping[str, object]:
        """Fold what is known under another name or place into the project that it is; with ``dry_run`` say what."""
        file, now_ms = call.params.maybe_text("aliases"), self._services.clock.now_ms()
        names = {} if file is None else await asyncio.to_thread(canonical.aliases_in, file)
        if call.params.flag("dry_run"):
            return {**await self._services.db.read(_folded, names), "dry_run": True, "change": None}

        def work(connection: Connection) -> Mapping[str, object]:
            said, folds = _folded(connection, names), canonical.plan(connection, names)
            _, change = journal.record(
                connection,
                "projects canonicalize",
                now_ms,
                lambda: canonical.carry_out(connection, folds, names),
            )
            return {**said, "dry_run": False, "change": change}

        return await self._services.db.write(work)

    async def _recorded(
        self, what: str, unite: Callable[[Connection], tuple[int, int]]
    ) -> Mapping[str, object]:
        now_ms = self._services.clock.now_ms()

        def work(connection: Connection) -> Mapping[str, object]:
            (into, moved), change = journal.record(connection, what, now_ms, lambda: unite(connection))
            return {"project": attribution.path_of(connection, into), "sessions": moved, "change": change}

        return await self._services.db.write(work)


def _folded(connection: Connection, names: Mapping[str, str]) -> Mapping[str, object]:
    folds = canonical.plan(connection, names)
    return {
        "folded": [
            {
                "project": fold.path,
                "into": attribution.path_of(connection, fold.into),
                "sessions": fold.sessions,
                "entries": fold.entries,
            }
            for fold in folds
        ],
        "aliases": len(canonical.unused(connection, names)),
    }


def _known(connection: Connection, named: str) -> int:
    found = scope.project(connection, named)
    if found is None:
        raise scope.unknown(named)
    return found


def _united(connection: Connection, old: str, into: int) -> tuple[int, int]:
    """Let ``old``, a project or a path that is none yet, be ``into`` from now on; that, and the sessions moved."""
    row = scope.project(connection, old)
    if row == into:
        raise BadRequest(f"{old} is {attribution.path_of(connection, into)} already")
    if row is not None:
        return into, attribution.merge(connection, row, into)
    if not old.startswith("/"):
        raise BadRequest(f"memd knows no project {old!r}; give the path that it had")
    attribution.alias(connection, old, os.path.basename(old.rstrip("/")), into)
    return into, 0
