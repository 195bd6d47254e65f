"""How many entries there are, by what they are and where they hold, live or not. SQL alone: no model is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection
from memd.memory.entry import CLASSES

EVERYWHERE = "(global)"  # in the place of a project

Counts = list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Figures of all entries; lists have the largest first. ``embedded`` have vectors in the space that serves."""

    total: int
    by_type: Counts
    by_class: Counts
    by_scope: Counts
    by_project: Counts
    superseded: int
    retired: int
    embedded: int

    @property
    def unembedded(self) -> int:
        """How many have no vectors."""
        return self.total - self.embedded

    @property
    def embedded_pct(self) -> int:
        """How many of a hundred have vectors, as a whole number; 0 where there is none."""
        return round(100 * self.embedded / self.total) if self.total else 0


def collect(connection: Connection, space: int | None) -> MemoryStats:
    """The figures of this moment."""
    by_type = _counts(connection, "e.type")
    named: dict[str, str] = {name: memory_class for name, memory_class in CLASSES.items()}  # noqa: C416  # wider
    classes = Counter[str]()
    for name, count in by_type:
        classes[named[name]] += count
    total, superseded, retired = connection.execute(
        """SELECT count(*), count(superseded_by), count(superseded_ms) - count(superseded_by) FROM entry"""
    ).get
    embedded = connection.execute(
        "SELECT count(DISTINCT entry_id) FROM entry_vector WHERE space_id = ?", (space,)
    ).get
    return MemoryStats(
        total=driver.number(total),
        by_type=by_type,
        by_class=sorted(classes.items(), key=lambda pair: (-pair[1], pair[0])),
        by_scope=_counts(connection, "e.scope"),
        by_project=_counts(connection, f"coalesce(p.name, '{EVERYWHERE}')"),
        superseded=driver.number(superseded),
        retired=driver.number(retired),
        embedded=driver.number(embedded),
    )


def _counts(connection: Connection, what: str) -> Counts:
    rows = connection.execute(
        f"""SELECT {what}, count(*) FROM entry e LEFT JOIN project p ON p.id = e.project_id
            GROUP BY 1 ORDER BY 2 DESC, 1"""
    )
    return [(str(name), driver.number(count)) for name, count in rows]
