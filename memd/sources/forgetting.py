"""Forgetting with all that hangs on it: turns, titles that tell of them, projects that nothing is left of.

Each removal is counted, so that the clean-up behind it (memd/tasks/compact.py) sees when there was one more.
"""

from __future__ import annotations

from collections.abc import Sequence

from memd.db import journal
from memd.db.driver import Connection, Key
from memd.sources import attribution, titles
from memd.turns import forget
from memd.turns.forget import Lost


def remove(connection: Connection, rows: Sequence[int]) -> None:
    """Remove the turns of these rows for good; every import passes them over from now on."""
    gone: set[Key] = set()
    for lost in forget.remove(connection, rows):
        if _is_told(connection, lost):
            titles.strike(connection, lost.session)
        if not lost.left:
            gone.add(("session", (lost.row,)))
        if lost.project is not None:
            gone.update(attribution.drop_empty(connection, lost.project))
    journal.strike(connection, gone)
    connection.execute(
        "INSERT INTO meta VALUES ('removals', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )


def removals(connection: Connection) -> int:
    """How many there were so far."""
    return int(connection.execute("SELECT value FROM meta WHERE key = 'removals'").get or 0)


def _is_told(connection: Connection, lost: Lost) -> bool:
    """True where a title tells of what was lost. One that is still to come does so where nothing else is left."""
    return not lost.left or any(
        forget.tells(connection, title, lost) for title in titles.of(connection, lost.session)
    )


def titled(connection: Connection, match: str, projects: Sequence[int] | None) -> list[str]:
    """Sessions (of the projects) with a title that holds a text."""
    keys = connection.execute(
        """SELECT s.key, s.project_id FROM session s UNION SELECT f.session, s.project_id FROM file f
           LEFT JOIN session s ON s.key = f.session"""
    ).fetchall()
    return [
        str(key)
        for key, project in keys
        if (projects is None or project in projects)
        and any(forget.holds(title, match) for title in titles.of(connection, str(key)))
    ]
