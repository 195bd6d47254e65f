"""Where a new entry holds: as its caller says, else in the project of the working directory, else everywhere.

It is bound to a branch only where that is asked for. Most of what is learned on a branch outlives it, and an entry that
goes unseen with the branch is lost without a word.
"""

from __future__ import annotations

import os

from memd.db.driver import Connection
from memd.errors import BadRequest
from memd.memory.entry import EVERYWHERE, LEVELS, MemoryScope
from memd.server import scope
from memd.server.params import Field, Params, choice, text
from memd.sources import attribution, projects

FIELDS: dict[str, Field] = {
    "scope": choice(*LEVELS, optional=True),
    "project": text(optional=True, most=16 << 10),
    "branch": text(optional=True),
    "cwd": text(optional=True, most=16 << 10),
}


def of(connection: Connection, params: Params) -> MemoryScope:
    """The scope that a call means; a project that is new to memd is known from then on."""
    level, named, branch = (params.maybe_text(name) for name in ("scope", "project", "branch"))
    cwd = params.maybe_text("cwd")
    if level == "global" and (named or branch):
        raise BadRequest("what holds everywhere has no project and no branch: leave them out, or the scope")
    if level == "project" and branch:
        raise BadRequest("what holds in all of a project has no branch: leave it out, or the scope")
    if level == "global" or (level is None and not (named or branch) and not _is_project(connection, cwd)):
        return EVERYWHERE
    project = _named(connection, named) if named else _here(connection, cwd)
    if level == "project" or (level is None and branch is None):
        return MemoryScope(project)
    return MemoryScope(project, branch or _branch(None if named else cwd))


def _is_project(connection: Connection, cwd: str | None) -> bool:
    """True of a directory in a repository, or in a project that memd knows."""
    if cwd is None:
        return False
    found = projects.identify(cwd)
    return found.origin == "git" or attribution.find(connection, found, cwd) is not None


def _named(connection: Connection, named: str) -> int:
    row = scope.project(connection, named)
    if row is None and os.path.isdir(named):
        row = attribution.row_of(connection, projects.identify(named))
    if row is None:
        raise scope.unknown(named)
    return row


def _here(connection: Connection, cwd: str | None) -> int:
    if cwd is None:
        raise BadRequest("say which project: there is no working directory to tell it by")
    return attribution.remember(connection, cwd, projects.identify(cwd))


def _branch(cwd: str | None) -> str:
    branch = projects.branch_scope(cwd) if cwd else None
    if branch is None:
        raise BadRequest("say which branch: there is none but the trunk at the working directory")
    return branch
