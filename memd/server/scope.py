"""Which project a question is about: the one named, else that of the caller's working directory, else all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.errors import BadRequest, Forbidden, NotFound
from memd.server.params import Field, Params, flag, text
from memd.sources import attribution, projects

FIELDS: dict[str, Field] = {
    "project": text(optional=True),
    "all_projects": flag(),
    "cwd": text(optional=True, most=16 << 10),
    "strict": flag(),
}

NO_ROW = 0  # of a project


@dataclass(frozen=True, slots=True)
class Scope:
    """Rows of ``project`` to look in (None: all), and the name an answer gives it."""

    projects: Sequence[int] | None
    name: str

    def holds(self, project: int | None) -> bool:
        """Whether what is of that project lies within; what is of none lies in all projects alone."""
        return self.projects is None or project in self.projects

    def check(self, what: str, project: int | None) -> None:
        """Forbidden where what is of that project lies outside."""
        if not self.holds(project):
            raise Forbidden(f"{what} lies outside of {self.name}, and nothing else may be asked about here")


ALL = Scope(None, "all projects")


def of(connection: Connection, params: Params) -> Scope:
    """The scope of a call; NotFound for a project that memd does not know.

    A ``strict`` one is never widened to all projects: where memd does not know that of ``cwd``, it holds nothing.
    """
    if params.flag("all_projects"):
        return ALL
    named = params.maybe_text("project")
    if named is not None:
        found = attribution.named(connection, named) or _by_path(connection, named)
        if not found:
            raise unknown(named)
        return Scope(found, named)
    cwd, strict = params.maybe_text("cwd"), params.flag("strict")
    if cwd is None and strict:
        raise BadRequest(
            "a strict call names its project, or its working directory, or asks for all projects"
        )
    row = None if cwd is None else attribution.find(connection, projects.identify(cwd), cwd)
    if row is not None:
        return Scope([row], attribution.path_of(connection, row))
    return Scope([NO_ROW], f"{cwd}, of which memd knows nothing yet") if strict else ALL


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
