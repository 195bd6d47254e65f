"""The entries that reflection has yet to see: live ones above the watermark, of all projects or of one.

Of one project they are its own, on every branch, and what holds everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Value
from memd.memory import table
from memd.memory.entry import MemoryEntry
from memd.memory.which import LIVE

NO_INSIGHTS = ("insight",)  # they are what reflection makes


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries: of a project, with an id above ``after``, created since a time, of other types than these."""

    project: int | None = None
    after: int | None = None
    since_ms: int | None = None
    exclude: Sequence[str] = NO_INSIGHTS

    def condition(self) -> tuple[str, list[Value]]:
        """A condition over ``e`` (entry), and its values."""
        marks = ",".join("?" * len(self.exclude))
        parts, values = [LIVE, f"e.type NOT IN ({marks})"], list[Value](self.exclude)
        for clause, value in (
            ("(e.project_id IS NULL OR e.project_id = ?)", self.project),
            ("e.id > ?", self.after),
            ("e.created_ms >= ?", self.since_ms),
        ):
            if value is not None:
                parts.append(clause)
                values.append(value)
        return " AND ".join(parts), values


def entries(connection: Connection, wanted: Wanted, limit: int = -1) -> list[MemoryEntry]:
    """The entries, the oldest first."""
    where, values = wanted.condition()
    rows = connection.execute(f"{table.SELECT} WHERE {where} ORDER BY e.id LIMIT ?", (*values, limit))
    return [table.entry_of(row) for row in rows]


def count(connection: Connection, wanted: Wanted) -> int:
    """How many there are."""
    where, values = wanted.condition()
    return driver.number(connection.execute(f"SELECT count(*) FROM entry e WHERE {where}", values).get)


def ids(connection: Connection, wanted: Wanted) -> list[int]:
    """Their ids, the lowest first."""
    where, values = wanted.condition()
    rows = connection.execute(f"SELECT e.id FROM entry e WHERE {where} ORDER BY e.id", values)
    return [driver.number(entry) for (entry,) in rows]
