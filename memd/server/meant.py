"""What a call of ``forget`` means: which turns and entries, and where; and what there is to say of them beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.memory import table
from memd.memory.forget import Wanted
from memd.server import entries, scope
from memd.server.params import Params
from memd.sources import attribution, curated, forgetting
from memd.turns import forget, read


def _named(params: Params) -> list[str]:
    """By what the turns are named that shall go."""
    return [name for name in ("id", "session", "folder", "match", "project") if params.maybe_text(name)]


def check(params: Params) -> None:
    """BadRequest where it is not clear what is meant."""
    named = _named(params)
    if (not named and not params.flag("backups")) or (len(named) > 1 and named != ["match", "project"]):
        raise BadRequest(
            "say what to forget: an id, a session, a folder, a project, or a match (in a project or in all)"
        )


@dataclass(frozen=True, slots=True)
class Look:
    """What is meant: rows and ids of turns, sessions whose title alone holds the text, and what an answer says.

    And what there is of it in curated memory.
    """

    rows: Sequence[int]
    turns: Sequence[str]
    untitled: Sequence[str]
    curated: curated.Meant
    answer: read.Record

    @property
    def finds(self) -> bool:
        """True where there is something to forget."""
        return bool(self.rows or self.untitled or self.curated)


def look(connection: Connection, params: Params) -> Look:
    """What is there of what is meant; NotFound for an entry, turn, session or project that is not."""
    entry = _entry(connection, params)
    match, where, folder = params.maybe_text("match"), _scope(connection, params), params.maybe_text("folder")
    rows, untitled = list[int](), list[str]()
    if _named(params) and entry is None:
        wanted = forget.Wanted(
            turn=params.maybe_text("id"),
            session=params.maybe_text("session"),
            sessions=None
            if folder is None
            else [row for row, _ in attribution.sessions_in(connection, folder)],
            projects=where.projects,
            match=match,
            last=params.maybe_integer("last"),
        )
        rows = forget.find(connection, wanted)
        untitled = forgetting.titled(connection, match, where.projects) if match else []
    newest = connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get
    said = {"titles": len(untitled), "scope": folder or where.name, "last": newest}
    meant = _curated(connection, params, where, entry)
    preview = {**forget.preview(connection, rows), **curated.preview(connection, meant), **said}
    return Look(rows, forget.ids(connection, rows), untitled, meant, preview)


def _entry(connection: Connection, params: Params) -> int | None:
    """The entry that is named; None where a turn is, or nothing of the kind. NotFound where ``#42`` is none."""
    named = params.maybe_text("id")
    number = None if named is None else entries.meant(named)
    if number is not None and named is not None and table.get(connection, number) is None:
        if named.startswith("#"):
            raise NotFound(f"there is no entry {named}")
        return None
    return number


def _curated(connection: Connection, params: Params, where: scope.Scope, entry: int | None) -> curated.Meant:
    """What is meant of curated memory: an entry, or what holds the text, or is of the project, or of a folder."""
    match, folder = params.maybe_text("match"), params.maybe_text("folder")
    projects = attribution.projects_in(connection, folder) if folder else where.projects
    if entry is not None:
        return curated.Meant([entry])
    if match is None and projects is None:
        return curated.Meant()
    return curated.find(connection, Wanted(projects, match, params.maybe_integer("last_entry")))


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
