"""Canonical projects: which of those that are known are another one of them, and folding them into that.

A project known by name alone (from a log) is the one that has the name, where there is just one. A worktree whose
folder is gone is its repository's, where anything tells. A map of aliases says the rest: former names, and those now.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import BadRequest, NotFound
from memd.sources import attribution, tail
from memd.sources.attribution import NAME_ALONE

MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Fold:
    """A project, by row and path, what it holds, and the one that it is."""

    project: int
    path: str
    into: int
    sessions: int
    entries: int


def aliases_in(path: str) -> dict[str, str]:
    """The map of aliases in a file: one JSON object, of former names to the names now."""
    try:
        descriptor, _ = tail.open_regular(os.fsencode(path))
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        raw = file.read(MOST_BYTES)
    try:
        names = orjson.loads(raw)
    except orjson.JSONDecodeError:
        names = None
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise BadRequest(f"{path} is no map of aliases: one JSON object, of former names to the names now")
    return names


def plan(connection: Connection, aliases: Mapping[str, str]) -> list[Fold]:
    """What there is to fold; a project that is folded itself is none to fold into."""
    folds: dict[int, Fold] = {}
    for project, into in _pairs(connection, aliases):
        while into in folds:
            into = folds[into].into
        if project != into and project not in folds:
            folds[project] = _fold(connection, project, into)
    return list(folds.values())


def carry_out(connection: Connection, folds: list[Fold], aliases: Mapping[str, str]) -> None:
    """Fold them, and have former names stand for their projects from now on, whoever still uses them."""
    for fold in folds:
        attribution.merge(connection, fold.project, fold.into)
    for former, name in unused(connection, aliases).items():
        attribution.alias(connection, former, former, name)


def unused(connection: Connection, aliases: Mapping[str, str]) -> dict[str, int]:
    """Former names that nothing is known of yet, each with the one project that has the name now."""
    found: dict[str, int] = {}
    for former, name in aliases.items():
        into = attribution.named(connection, name)
        if len(into) == 1 and not attribution.named(connection, former):
            found[former] = into[0]
    return found


def _pairs(connection: Connection, aliases: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    for former, name in aliases.items():
        old, new = attribution.named(connection, former), attribution.named(connection, name)
        if len(old) == 1 and len(new) == 1:
            yield old[0], new[0]
    for project, name in _rows(connection, f"SELECT id, name FROM project WHERE {NAME_ALONE} ORDER BY id"):
        same = _rows(connection, f"SELECT id, path FROM project WHERE name = ? AND NOT ({NAME_ALONE})", name)
        if len(same) == 1:
            yield project, same[0][0]
    for project, path in _rows(connection, "SELECT id, path FROM project WHERE origin = 'cwd' ORDER BY id"):
        now = attribution.identify(connection, path)
        for into, _ in _rows(connection, "SELECT id, path FROM project WHERE path = ?", now.path):
            yield project, into


def _rows(connection: Connection, query: str, *values: str) -> list[tuple[int, str]]:
    return [(driver.number(row), str(text)) for row, text in connection.execute(query, values).fetchall()]


def _fold(connection: Connection, project: int, into: int) -> Fold:
    path, sessions, entries = connection.execute(
        """SELECT path, (SELECT count(*) FROM session WHERE project_id = p.id),
             (SELECT count(*) FROM entry WHERE project_id = p.id) FROM project p WHERE id = ?""",
        (project,),
    ).get
    return Fold(project, str(path), into, driver.number(sessions), driver.number(entries))
