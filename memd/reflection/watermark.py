"""Watermarks: up to which entry reflection has seen them, of a project (with what holds everywhere) or of all."""

from __future__ import annotations

from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection


@dataclass(frozen=True, slots=True)
class Watermark:
    """The last entry that was seen, and when (UTC milliseconds).

    Entries up to ``floor`` are still to be seen: a first reflection may begin with the last days. ``sighting``: what
    there was new about the others is seen up to this number of ``entry_sighting``.
    """

    entry: int
    at_ms: int
    floor: int = 0
    sighting: int = 0


def get(connection: Connection, project: int | None) -> Watermark | None:
    """The watermark of a project, or of all; None where nothing was reflected on yet."""
    row = connection.execute(
        "SELECT entry_id, at_ms, floor_id, sighting FROM watermark WHERE project_id IS ?", (project,)
    ).fetchone()
    return None if row is None else Watermark(*map(driver.number, row))


def put(connection: Connection, project: int | None, mark: Watermark) -> None:
    """Set it; it may go back, too."""
    connection.execute("DELETE FROM watermark WHERE project_id IS ?", (project,))
    connection.execute(
        "INSERT INTO watermark (project_id, entry_id, at_ms, floor_id, sighting) VALUES (?, ?, ?, ?, ?)",
        (project, mark.entry, mark.at_ms, mark.floor, mark.sighting),
    )


def upto(connection: Connection, entry: int, at_ms: int) -> Watermark:
    """The watermark of who has seen every entry up to one, and all there is new about them."""
    return Watermark(entry, at_ms, sighting=seen(connection))


def seen(connection: Connection) -> int:
    """The number of the last sighting there was."""
    return driver.number(connection.execute("SELECT coalesce(max(number), 0) FROM entry_sighting").get)
