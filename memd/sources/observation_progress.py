"""How far a record is absorbed: a large one is taken in by several transactions, and each goes on behind the last."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.sources.extraction import Extraction, Item, order
from memd.sources.observation_table import WAITING


@dataclass(slots=True)
class Progress:
    """What came of the items of a record so far. ``upto``: the place of the last that was taken in."""

    upto: str | None
    entries: dict[str, int]  # which entry each statement led to, by its place
    bad: int
    dropped: Counter[str]

    def behind(self, said: Extraction) -> Sequence[Item]:
        """The items that are still to be taken in. A statement that has its entry is not: so after a salvage."""
        return [
            item for item in said.items if is_behind(item.place, self.upto) and item.place not in self.entries
        ]

    def before(self, said: Extraction) -> Sequence[Item]:
        """The items that are taken in."""
        return [item for item in said.items if not is_behind(item.place, self.upto)]


def is_behind(place: str, upto: str | None) -> bool:
    """Whether the item at a place is still to be taken in, of a record that is taken in so far."""
    return upto is None or order(place) > order(upto)


def of(connection: Connection, observation: int) -> Progress | None:
    """How far a record that waits is absorbed; None where it does not wait."""
    row: Row | None = connection.execute(
        f"SELECT o.upto, o.entries, o.bad_items, o.dropped FROM observation o WHERE {WAITING} AND o.id = ?",
        (observation,),
    ).fetchone()
    if row is None:
        return None
    upto, entries, bad, dropped = row
    return Progress(
        None if upto is None else str(upto),
        json.loads(str(entries)),
        driver.number(bad),
        Counter(json.loads(str(dropped))),
    )


def note(connection: Connection, observation: int, progress: Progress) -> None:
    """Store how far a record is. Whoever comes further is no record to be blamed for memd's end."""
    connection.execute(
        "UPDATE observation SET upto = ?, entries = ?, bad_items = ?, dropped = ?, deaths = 0 WHERE id = ?",
        (
            progress.upto,
            json.dumps(progress.entries),
            progress.bad,
            json.dumps(progress.dropped),
            observation,
        ),
    )
