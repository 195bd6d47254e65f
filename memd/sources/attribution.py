"""Which project a working directory belongs to, remembered so that it holds after the folder is gone."""

from __future__ import annotations

import os

from memd.db.driver import Connection
from memd.sources.projects import Project


def remember(connection: Connection, cwd: str, project: Project) -> int:
    """The project's row for ``cwd``. A git identity once known is not lost when the folder goes."""
    if project.origin != "git":
        known = lookup(connection, cwd)
        if known is not None:
            return known
    connection.execute(
        "INSERT OR IGNORE INTO project (name, path, origin) VALUES (?, ?, ?)",
        (project.name, project.path, project.origin),
    )
    row: int = connection.execute("SELECT id FROM project WHERE path = ?", (project.path,)).get
    connection.execute(
        "INSERT INTO project_dir VALUES (?, ?) ON CONFLICT (cwd) DO UPDATE SET project_id = excluded.project_id",
        (cwd, row),
    )
    return row


def lookup(connection: Connection, cwd: str) -> int | None:
    """The project remembered for ``cwd``: its own row, else the git project of its nearest known parent."""
    row = connection.execute("SELECT project_id FROM project_dir WHERE cwd = ?", (cwd,)).get
    if row is not None:
        return int(row)
    parent = os.path.dirname(cwd.rstrip("/"))
    while len(parent) > 1:
        row = connection.execute(
            "SELECT d.project_id FROM project_dir d JOIN project p ON p.id = d.project_id"
            " WHERE d.cwd = ? AND p.origin = 'git'",
            (parent,),
        ).get
        if row is not None:
            return int(row)
        parent = os.path.dirname(parent)
    return None


def find(connection: Connection, project: Project, cwd: str) -> int | None:
    """The known project of a cwd as it stands now; None where memd knows nothing of it."""
    row = connection.execute("SELECT id FROM project WHERE path = ?", (project.path,)).get
    return int(row) if row is not None else lookup(connection, cwd)


def named(connection: Connection, text: str) -> list[int]:
    """Projects whose path or name is ``text``."""
    rows = connection.execute("SELECT id FROM project WHERE path = ?1 OR name = ?1", (text,))
    return [int(row[0]) for row in rows]


def path_of(connection: Connection, project: int) -> str:
    """The path that stands for a project."""
    return str(connection.execute("SELECT path FROM project WHERE id = ?", (project,)).get)


def drop_empty(connection: Connection, project: int) -> None:
    """Remove a project without a session, unless it stands for others."""
    used = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM session WHERE project_id = ?1)
               OR EXISTS (SELECT 1 FROM project_alias WHERE project_id = ?1)""",
        (project,),
    ).get
    if not used:
        connection.execute("DELETE FROM project_dir WHERE project_id = ?", (project,))
        connection.execute("DELETE FROM project WHERE id = ?", (project,))
