"""Which project a question is about: the one named, else that of the caller's working directory, else all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.server.params import Field, Params, flag, text
from memd.sources import attribution, projects

FIELDS: dict[str, Field] = {
    "project": text(optional=True),
    "all_projects": flag(),
    "cwd": text(optional=True, most=16 << 10),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Rows of ``project`` to look in (None: all), and the name an answer gives it."""

    projects: Sequence[int] | None
    name: str


ALL = Scope(None, "all projects")


def of(connection: Connection, params: Params) -> Scope:
    """The scope of a call; NotFound for a project that memd does not know."""
    if params.flag("all_projects"):
        return ALL
    named = params.maybe_text("project")
    if named is not None:
        found = attribution.named(connection, named) or _by_path(connection, named)
        if not found:
            raise unknown(named)
        return Scope(found, named)
    cwd = params.maybe_text("cwd")
    if cwd is None:
        return ALL
    row = attribution.find(connection, projects.identify(cwd), cwd)
    if row is None:
        return ALL
    return Scope([row], attribution.path_of(connection, row))


def unknown(named: str) -> NotFound:
    """The error for a project that memd does not know."""
    return NotFound(f"memd knows no project {named!r}; `memctl projects list` shows those it knows")


def _by_path(connection: Connection, named: str) -> list[int]:
    if not named.startswith("/"):
        return []
    row = attribution.find(connection, projects.identify(named), named)
    return [] if row is None else [row]


def project(connection: Connection, named: str) -> int | None:
    """The one project of that path or name; None where there is none, BadRequest where several have the name."""
    found = attribution.named(connection, named)
    if not found and named.startswith("/"):
        found = attribution.named(connection, projects.identify(named).path)
    if len(found) > 1:
        paths = ", ".join(attribution.path_of(connection, row) for row in found)
        raise BadRequest(f"more than one project is called {named}; name its path: {paths}")
    return found[0] if found else None
