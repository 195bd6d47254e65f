"""The texts of observations: without secrets, and without what was forgotten.

Of that the item goes, and null stands in its place. So the places of the others stay, and a record that is read again
is known by its key all the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.sources.observations import Record, items_in
from memd.text.leaves import leaves, with_leaves
from memd.turns import table as turns
from memd.turns.redact import redact_all

STEP = 200

Goes = Callable[[str, object], bool]  # by the place of an item and what it says


def redacted(records: Sequence[Record]) -> list[tuple[Record, Mapping[str, int]]]:
    """The records without their secrets, each with how many of which kind it held."""
    texts = [list(leaves(record)) for record in records]
    found = redact_all([text for one in texts for text in one])
    clean: list[tuple[Record, Mapping[str, int]]] = []
    at = 0
    for record, held in zip(records, texts, strict=True):
        results = [found.get(at + place) for place in range(len(held))]
        at += len(held)
        new = [result.text if result else text for result, text in zip(results, held, strict=True)]
        kinds = sum((Counter(result.counts) for result in results if result), Counter[str]())
        clean.append((cast(Record, with_leaves(record, iter(new))) if kinds else record, kinds))
    return clean


def redact_again(connection: Connection, after: int) -> int | None:
    """Apply today's rules of redaction to some records behind that row; the last of them, None where there are none."""
    rows = connection.execute(
        "SELECT id, extraction FROM observation WHERE id > ? ORDER BY id LIMIT ?", (after, STEP)
    ).fetchall()
    records = [cast(Record, json.loads(str(extraction))) for _, extraction in rows]
    for (observation, _), (record, kinds) in zip(rows, redacted(records), strict=True):
        if kinds:
            turns.count_redactions(connection, kinds)
            connection.execute(
                "UPDATE observation SET extraction = ? WHERE id = ?", (json.dumps(record), observation)
            )
    return driver.number(rows[-1][0]) if rows else None


def forget(connection: Connection, match: str | None, of: Collection[str] | None = None) -> int:
    """Take out every item that holds a text, in small letters or large; of how many records.

    ``match`` None means any item, ``of`` only those of projects that are called so.
    """
    return sum(_strike(connection, row, _holds(match)) for row in _rows(connection, of))


def holding(connection: Connection, match: str | None, of: Collection[str] | None = None) -> int:
    """How many records ``forget`` would take something out of."""
    goes = _holds(match)
    return sum(
        any(goes("", item) for items in json.loads(str(row[1])).values() for item in items_in(items))
        for row in _rows(connection, of)
    )


def _holds(match: str | None) -> Goes:
    said = (match or "").casefold()
    return lambda _, item: item is not None and any(said in text.casefold() for text in leaves(item))


def _rows(connection: Connection, of: Collection[str] | None) -> list[Row]:
    rows = connection.execute("SELECT id, extraction, entries, project FROM observation").fetchall()
    return [row for row in rows if of is None or row[3] in of]


def forget_entries(connection: Connection, entries: Collection[int]) -> int:
    """Take out every statement that led to one of these entries; of how many records."""
    rows = connection.execute(
        """SELECT id, extraction, entries FROM observation o WHERE EXISTS (SELECT 1 FROM json_each(o.entries) e
             WHERE e.value IN (SELECT value FROM json_each(?)))""",
        (json.dumps(list(entries)),),
    ).fetchall()
    struck = 0
    for row in rows:
        places = {place for place, entry in json.loads(str(row[2])).items() if entry in entries}
        struck += _strike(connection, row, _at(places))
    return struck


def _at(places: Collection[str]) -> Goes:
    return lambda place, _: place in places


def _strike(connection: Connection, row: Row, goes: Goes) -> bool:
    observation, extraction, entries = row[0], json.loads(str(row[1])), json.loads(str(row[2]))
    struck = False
    for category in extraction:
        items = items_in(extraction[category])
        for number, item in enumerate(items):
            place = f"{category}/{number}"
            if item is not None and goes(place, item):
                items[number], struck = None, True
                entries.pop(place, None)
        extraction[category] = items
    if struck:
        connection.execute(
            "UPDATE observation SET extraction = ?, entries = ? WHERE id = ?",
            (json.dumps(extraction), json.dumps(entries), observation),
        )
    return struck
