"""Entries that a reflection passed over, because the language model gave no usable answer about them. Their SQL.

Each counts for the reflections of one project, or for those of all. Whoever asks for it has them read once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memd.db import driver
from memd.db.driver import Connection
from memd.memory.which import LIVE

AGAIN = "JOIN entry_passed_over p ON p.entry_id = e.id AND p.project_id IS ? AND p.again"


def put(
    connection: Connection,
    project: int | None,
    entries: Iterable[int],
    now_ms: int,
    why: str,
    job: int | None,
) -> None:
    """Pass them over, also those that were asked for once more."""
    entries = list(entries)
    remove(connection, project, entries)
    connection.executemany(
        "INSERT INTO entry_passed_over (entry_id, project_id, at_ms, why, job_id) VALUES (?, ?, ?, ?, ?)",
        [(entry, project, now_ms, why, job) for entry in entries],
    )


def remove(connection: Connection, project: int | None, entries: Iterable[int]) -> None:
    """They were read."""
    connection.executemany(
        "DELETE FROM entry_passed_over WHERE entry_id = ? AND project_id IS ?",
        [(entry, project) for entry in entries],
    )


def ask_again(connection: Connection, project: int | None) -> int:
    """Have all of them read by the next reflection; how many there are."""
    connection.execute("UPDATE entry_passed_over SET again = 1 WHERE project_id IS ?", (project,))
    return len(ids(connection, project))


def is_asked_again(connection: Connection, project: int | None) -> bool:
    """Whether somebody asked for some of them."""
    found = connection.execute(f"SELECT 1 FROM entry e {AGAIN} WHERE {LIVE} LIMIT 1", (project,))
    return found.get is not None


def ids(connection: Connection, project: int | None) -> list[int]:
    """The entries, the lowest first."""
    rows = connection.execute(
        f"""SELECT e.id FROM entry_passed_over p JOIN entry e ON e.id = p.entry_id
            WHERE p.project_id IS ? AND {LIVE} ORDER BY 1""",
        (project,),
    )
    return [driver.number(entry) for (entry,) in rows]


def of_job(connection: Connection, job: int) -> list[int]:
    """The entries that a job passed over."""
    rows = connection.execute("SELECT entry_id FROM entry_passed_over WHERE job_id = ? ORDER BY 1", (job,))
    return [driver.number(entry) for (entry,) in rows]


def by_project(connection: Connection) -> Mapping[str, int]:
    """How many there are, by the name of the project; by nothing for those of all."""
    return driver.pairs(
        connection,
        f"""SELECT coalesce(o.name, ''), count(*) FROM entry_passed_over p JOIN entry e ON e.id = p.entry_id
            LEFT JOIN project o ON o.id = p.project_id WHERE {LIVE} GROUP BY 1 ORDER BY 1""",
    )


def since_ms(connection: Connection) -> int:
    """Since when the oldest of them stands there; 0 where none does."""
    return driver.number(connection.execute("SELECT coalesce(min(at_ms), 0) FROM entry_passed_over").get)
