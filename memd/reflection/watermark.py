"""Watermarks: up to which entry reflection has seen them, of a project (with what holds everywhere) or of all."""

from __future__ import annotations

from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection


@dataclass(frozen=True, slots=True)
class Watermark:
    """The last entry that was seen, and when (UTC milliseconds)."""

    entry: int
    at_ms: int


def get(connection: Connection, project: int | None) -> Watermark | None:
    """The watermark of a project, or of all; None where nothing was reflected on yet."""
    row = connection.execute(
        "SELECT entry_id, at_ms FROM watermark WHERE project_id IS ?", (project,)
    ).fetchone()
    return None if row is None else Watermark(driver.number(row[0]), driver.number(row[1]))


def put(connection: Connection, project: int | None, mark: Watermark) -> None:
    """Set it; it may go back, too."""
    connection.execute("DELETE FROM watermark WHERE project_id IS ?", (project,))
    connection.execute(
        "INSERT INTO watermark (project_id, entry_id, at_ms) VALUES (?, ?, ?)",
        (project, mark.entry, mark.at_ms),
    )
