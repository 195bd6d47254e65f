"""Which entries a call is about: those of a project with its branch, and what holds everywhere; else all there are."""

from __future__ import annotations

from memd.clock import parse_when
from memd.db.driver import Connection
from memd.memory.entry import LEVELS, TYPES
from memd.memory.which import Which
from memd.server import scope
from memd.server.params import Field, Params, choice, flag, text
from memd.sources import projects

FIELDS: dict[str, Field] = {
    "type": choice(*TYPES, optional=True),
    "scope": choice(*LEVELS, optional=True),
    "branch": text(optional=True),
    "since": text(optional=True),
    "until": text(optional=True),
    "include_superseded": flag(),
    **scope.FIELDS,
}


def of(params: Params, where: scope.Scope, now_ms: int) -> Which:
    """The filter that the parameters are, within a scope that was found for them."""
    since, until = params.maybe_text("since"), params.maybe_text("until")
    return Which(
        projects=where.projects,
        branch=_branch(params, where),
        type=params.maybe_text("type"),  # type: ignore[arg-type]  # the schema's choice
        level=params.maybe_text("scope"),  # type: ignore[arg-type]  # the schema's choice
        since_ms=parse_when(since, now_ms) if since else None,
        until_ms=parse_when(until, now_ms) if until else None,
        include_superseded=params.flag("include_superseded"),
    )


def find(connection: Connection, params: Params, now_ms: int) -> tuple[Which, str]:
    """The filter, and the name that an answer gives its scope."""
    where = scope.of(connection, params)
    return of(params, where, now_ms), where.name


def _branch(params: Params, where: scope.Scope) -> str | None:
    """The branch that is named, else the one that is checked out where the question is asked."""
    cwd, named = params.maybe_text("cwd"), params.maybe_text("branch")
    if named or cwd is None or where.projects is None or params.maybe_text("project"):
        return named
    return projects.current_branch(cwd)
