"""Which project a working directory belongs to, remembered so that it holds after the folder is gone."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memd.db import driver
from memd.db.changesets import Key
from memd.db.driver import Connection
from memd.sources import projects
from memd.sources.exclusions import lies_in, places
from memd.sources.projects import Project

NAME_ALONE = "path NOT LIKE '%/%' AND path NOT LIKE '%\\%'"

_HELD = ("session", "entry", "native_file")  # what makes a project one that there is


def identify(connection: Connection, cwd: str) -> Project:
    """The project of a working directory; of a worktree that is gone, the known repository that still lists it."""
    project = projects.identify(cwd)
    if project.origin == "git" or os.path.isdir(cwd):
        return project
    for (path,) in connection.execute("SELECT path FROM project WHERE origin = 'git'").fetchall():
        if any(lies_in(cwd, folder) for folder in projects.worktrees(str(path))):
            return projects.identify(str(path))
    return project


def remember(connection: Connection, cwd: str, project: Project) -> int:
    """The project's row for ``cwd``. A git identity once known is not lost when the folder goes."""
    if project.origin != "git":
        known = lookup(connection, cwd)
        if known is not None:
            return known
    row = row_of(connection, project)
    connection.execute(
        "INSERT INTO project_dir VALUES (?, ?) ON CONFLICT (cwd) DO UPDATE SET project_id = excluded.project_id",
        (cwd, row),
    )
    return row


def row_of(connection: Connection, project: Project) -> int:
    """The project's row, made where it is new; where its path stands for another project, that one's.

    What a project of that name alone held is the new one's, where no other has the name.
    """
    known = _known(connection, project.path)
    if known is not None:
        return known
    row = _insert(connection, project)
    _take_name(connection, project, row)
    return row


def _insert(connection: Connection, project: Project) -> int:
    connection.execute(
        """INSERT INTO project (id, name, path, origin) VALUES (
             (SELECT 1 + coalesce(max(n), 0)
              FROM (SELECT max(id) AS n FROM project UNION ALL SELECT max(former) FROM project_alias)), ?, ?, ?)""",
        (project.name, project.path, project.origin),
    )
    return connection.last_insert_rowid()


def _take_name(connection: Connection, project: Project, row: int) -> None:
    alone = connection.execute(
        f"SELECT id FROM project WHERE path = ? AND {NAME_ALONE} AND id <> ?", (project.name, row)
    ).get
    if alone is not None and set(named(connection, project.name)) == {int(alone), row}:
        merge(connection, int(alone), row)


def _known(connection: Connection, path: str) -> int | None:
    row = connection.execute(
        """SELECT id FROM project WHERE path = ?1
           UNION ALL SELECT project_id FROM project_alias WHERE path = ?1 LIMIT 1""",
        (path,),
    ).get
    return None if row is None else int(row)


def lookup(connection: Connection, cwd: str) -> int | None:
    """The project remembered for ``cwd``: its own row, else the git project of its nearest known parent."""
    row = connection.execute("SELECT project_id FROM project_dir WHERE cwd = ?", (cwd,)).get
    if row is not None:
        return int(row)
    parent = os.path.dirname(cwd.rstrip("/"))
    while len(parent) > 1:
        row = connection.execute(
            """SELECT d.project_id FROM project_dir d JOIN project p ON p.id = d.project_id
               WHERE d.cwd = ?1 AND p.origin = 'git'
               UNION ALL SELECT id FROM project WHERE path = ?1 AND origin = 'git' LIMIT 1""",
            (parent,),
        ).get
        if row is not None:
            return int(row)
        parent = os.path.dirname(parent)
    return None


def remembered(connection: Connection, cwd: str) -> str | None:
    """The path of the project remembered for ``cwd``; None where there is none."""
    row = lookup(connection, cwd)
    return None if row is None else path_of(connection, row)


def find(connection: Connection, project: Project, cwd: str) -> int | None:
    """The known project of a cwd as it stands now; None where memd knows nothing of it."""
    row = _known(connection, project.path)
    return lookup(connection, cwd) if row is None else row


def named(connection: Connection, text: str) -> list[int]:
    """Projects whose path or name, or that of an alias, is ``text``."""
    rows = connection.execute(
        """SELECT id FROM project WHERE path = ?1 OR name = ?1
           UNION SELECT project_id FROM project_alias WHERE path = ?1 OR name = ?1""",
        (text,),
    )
    return [int(row[0]) for row in rows]


def known_as(connection: Connection, text: str) -> list[int]:
    """Projects that ``text`` may mean: the one whose path it is, or once was; else as ``named``."""
    row = _known(connection, text)
    return named(connection, text) if row is None else [row]


def names(connection: Connection, projects: Sequence[int]) -> list[str]:
    """All that these projects, and no others, are called: paths and names, theirs and those of their aliases."""
    listed = ",".join(str(int(project)) for project in projects)
    found = connection.execute(
        f"""SELECT path FROM project WHERE id IN ({listed}) UNION SELECT name FROM project WHERE id IN ({listed})
            UNION SELECT path FROM project_alias WHERE project_id IN ({listed})
            UNION SELECT name FROM project_alias WHERE project_id IN ({listed})"""
    ).fetchall()
    return [str(name) for (name,) in found if set(named(connection, str(name))) <= set(projects)]


def called(connection: Connection, name: str) -> int:
    """The project that a record of another program calls by name alone: the one there is, else one of that name only.

    Where several have the name, nothing says which is meant, so it is none of them.
    """
    found = known_as(connection, name)
    return found[0] if len(found) == 1 else row_of(connection, Project(name, name, "folder"))


def alias(connection: Connection, path: str, name: str, project: int, former: int | None = None) -> None:
    """Let a path, and the name, stand for a project from now on."""
    connection.execute(
        """INSERT INTO project_alias VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (path) DO UPDATE SET name = ?2, project_id = ?3, former = coalesce(?4, former)""",
        (path, name, project, former),
    )


def merge(connection: Connection, project: int, into: int) -> int:
    """Give all that a project holds to another one, which has its path as an alias from then on; how many sessions."""
    path, name = connection.execute("SELECT path, name FROM project WHERE id = ?", (project,)).get
    connection.execute("UPDATE session SET project_id = ? WHERE project_id = ?", (into, project))
    moved = connection.changes()
    connection.execute(
        "DELETE FROM watermark WHERE project_id = ?", (project,)
    )  # its entries are new to the other
    for table in ("project_dir", "project_alias", "entry", "native_file"):
        connection.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (into, project))
    alias(connection, path, name, into, former=project)
    connection.execute("DELETE FROM project WHERE id = ?", (project,))
    return moved


def sessions_in(connection: Connection, folder: str) -> list[tuple[int, int]]:
    """Sessions of a folder, or of a project in it: their rows, and how many turns each has."""
    rows = connection.execute(
        """SELECT s.id, s.turns, s.cwd, p.path FROM session s LEFT JOIN project p ON p.id = s.project_id
           WHERE s.turns > 0"""
    )
    return [
        (int(row), int(turns))
        for row, turns, *paths in rows
        if any(path and lies_in(path, place) for path in paths for place in places(folder))
    ]


def projects_in(connection: Connection, folder: str) -> list[int]:
    """Projects of a folder, or in it."""
    rows = connection.execute("SELECT id, path FROM project ORDER BY id")
    return [
        driver.number(row) for row, path in rows if any(lies_in(str(path), place) for place in places(folder))
    ]


def path_of(connection: Connection, project: int) -> str:
    """The path that stands for a project."""
    return str(connection.execute("SELECT path FROM project WHERE id = ?", (project,)).get)


def drop_empty(connection: Connection, project: int) -> list[Key]:
    """Remove a project that holds nothing, with all that stands for it; the rows that went, now or at a merge."""
    if any(
        connection.execute(f"SELECT 1 FROM {table} WHERE project_id = ? LIMIT 1", (project,)).get
        for table in _HELD
    ):
        return []
    gone: list[Key] = [("project", (project,))]
    for (folder,) in connection.execute(
        "DELETE FROM project_dir WHERE project_id = ? RETURNING cwd", (project,)
    ):
        gone.append(("project_dir", (folder,)))
    for path, former in connection.execute(
        "DELETE FROM project_alias WHERE project_id = ? RETURNING path, former", (project,)
    ):
        gone += [("project_alias", (path,)), ("project", (former,))]
    connection.execute("DELETE FROM watermark WHERE project_id = ?", (project,))
    connection.execute("DELETE FROM project WHERE id = ?", (project,))
    return gone
