"""Curated memory after a salvage: what derives from observation logs is derived again, and nothing is counted twice.

An index tells of the rows that its table lost. Every record is absorbed again; a statement whose entry is there is
passed over then, and the mentions of the graph are counted from nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection
from memd.db.pages import Pages

# Tables by an index whose records end in the number of the row.
_INDEXES = {
    "entry": "entry_created",
    "entity": "sqlite_autoindex_entity_1",
    "relationship": "sqlite_autoindex_relationship_1",
    "observation": "sqlite_autoindex_observation_1",
}


@dataclass(frozen=True, slots=True)
class Observed:
    """How many entries and rows of the graph were salvaged, and how many rows were lost, by table."""

    entries: int
    graph: int
    lost: Mapping[str, int]

    def __str__(self) -> str:
        if not any(self.lost.values()):
            return f"{self.entries:,} entries and {self.graph:,} rows of the graph were salvaged"
        lost = ", ".join(f"{number:,} of {table}" for table, number in self.lost.items() if number)
        return (
            f"{self.entries:,} entries and {self.graph:,} rows of the graph were salvaged (rows lost: {lost}), and what"
            " observation logs hold is absorbed again"
        )


def settle(pages: Pages, roots: Mapping[str, int], fresh: Connection) -> Observed | None:
    """Have absorbed again what was lost; None in a version without curated memory. Before dangling rows are tied up."""
    if not fresh.execute("SELECT 1 FROM sqlite_schema WHERE name = 'entry'").get:
        return None
    lost = {table: _indexed(pages, roots, index) - _rows(fresh, table) for table, index in _INDEXES.items()}
    lost["entry"] |= _numbers(
        fresh, "SELECT entry_id FROM entry_source WHERE entry_id NOT IN (SELECT id FROM entry)"
    )
    lost["observation"] |= _numbers(
        fresh,
        """SELECT CAST(source AS INTEGER) FROM entry_source
           WHERE kind = 'observation' AND source NOT IN (SELECT CAST(id AS TEXT) FROM observation)""",
    )
    if any(lost.values()):
        live = _indexed(pages, roots, "entry_live")
        _unsee(fresh)
        _absorb_again(fresh, lost["entry"] & live if live else lost["entry"])
    graph = len(_rows(fresh, "entity")) + len(_rows(fresh, "relationship"))
    return Observed(len(_rows(fresh, "entry")), graph, {table: len(rows) for table, rows in lost.items()})


def _indexed(pages: Pages, roots: Mapping[str, int], index: str) -> set[int]:
    """The rows that an index names, as far as it can be read."""
    return {
        record[-1]
        for _, records in pages.tree(roots.get(index, 0))
        for _, record in records
        if record and isinstance(record[-1], int)
    }


def _rows(fresh: Connection, table: str) -> set[int]:
    return _numbers(fresh, f"SELECT id FROM {table}")


def _numbers(fresh: Connection, query: str) -> set[int]:
    return {driver.number(number) for (number,) in fresh.execute(query)}


def _unsee(fresh: Connection) -> None:
    """A record that was lost is read again under another number: its sightings are counted then."""
    lost = "kind = 'observation' AND source NOT IN (SELECT CAST(id AS TEXT) FROM observation)"
    fresh.execute(
        f"""UPDATE entry SET sightings = max(0, sightings - n)
            FROM (SELECT entry_id, count(*) AS n FROM entry_source WHERE {lost} GROUP BY entry_id) s
            WHERE s.entry_id = entry.id"""
    )
    fresh.execute(f"DELETE FROM entry_source WHERE {lost}")


def _absorb_again(fresh: Connection, entries: set[int]) -> None:
    """Have every record wait. What it led to stays noted but for these entries; what is gone otherwise was deleted."""
    fresh.execute("UPDATE entity SET mentions = 0")
    fresh.execute(
        """UPDATE observation SET absorbed_ms = NULL, upto = NULL, bad_items = 0, dropped = '{}',
             entries = (SELECT json_group_object(key, value) FROM json_each(entries)
                        WHERE value NOT IN (SELECT value FROM json_each(?)))
           WHERE failed IS NULL""",
        (json.dumps(sorted(entries)),),
    )
