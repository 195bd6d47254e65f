"""The texts of observations without what was forgotten: of that the item goes, and null stands in its place.

So the places of the others stay, and a record that is read again
is known by its key all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.graph.forget import is_forgotten, of_context, of_name
from memd.ids import derive
from memd.memory.dedup import normalised
from memd.sources.extraction import TYPES
from memd.sources.observation_secrets import redacted
from memd.sources.observations import Record, items_in
from memd.text.leaves import leaves
from memd.turns import table as turns

STEP = 200

Goes = Callable[[str, object], bool]  # by the place of an item and what it says


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
    """Take out every item that holds a text, in small letters or large, and leave its marks; of how many records.

    ``match`` None means any item, ``of`` only those of projects that are called so.
    """
    _lay(connection, marks(connection, match, of))
    return sum(_strike(connection, row, _holds(match)) for row in _rows(connection, of))


def holding(connection: Connection, match: str | None, of: Collection[str] | None = None) -> int:
    """How many records ``forget`` would take something out of."""
    return sum(any(True for _ in _chosen(row, _holds(match))) for row in _rows(connection, of))


def marks(connection: Connection, match: str | None, of: Collection[str] | None = None) -> list[bytes]:
    """The marks that ``forget`` leaves: of statements, and where all projects are meant of names and contexts too."""
    whole = match is not None and of is None
    found = {
        mark
        for row in _rows(connection, of)
        for place, item in _chosen(row, _holds(match))
        for _, mark, text in _marked(row[3], place, item)
        if _is_statement(place) or (whole and (match or "").casefold() in text.casefold())
    }
    return sorted(found)


def of_statement(project: str | None, content: str) -> bytes:
    """The mark of a statement, by what its record calls its project: no more is known where only the log is left."""
    return bytes.fromhex(derive("statement", project or "", normalised(content)))


def forget_entries(connection: Connection, entries: Collection[int]) -> int:
    """Take out every statement that led to one of these entries, and leave its marks; of how many records."""
    _lay(connection, marks_of_entries(connection, entries))
    return sum(_strike(connection, row, _at(_places(row, entries))) for row in _leading(connection, entries))


def marks_of_entries(connection: Connection, entries: Collection[int]) -> list[bytes]:
    """The marks that ``forget_entries`` leaves."""
    found = {
        mark
        for row in _leading(connection, entries)
        for place, item in _chosen(row, _at(_places(row, entries)))
        for _, mark, _ in _marked(row[3], place, item)
    }
    return sorted(found)


def unforgotten(connection: Connection, extraction: Mapping[str, object], project: str | None) -> Record:
    """An extraction that is to be stored, without what was forgotten. An edge loses no more than such a context."""

    def left(category: str, item: object) -> object:
        found = _marked(project, category, item)
        gone = {field for field, mark, _ in found if is_forgotten(connection, mark)}
        if gone == {"context"} and isinstance(item, dict):
            return {**item, "context": None}
        return None if gone else item

    return {
        category: [left(category, item) for item in items_in(value)] for category, value in extraction.items()
    }


def forget_marked(connection: Connection, held: Container[bytes]) -> int:
    """Take out every item that these marks keep away; of how many records."""
    return sum(_strike(connection, row, _is_in(row, held)) for row in _rows(connection, None))


def marked(connection: Connection, held: Container[bytes]) -> int:
    """How many records ``forget_marked`` would take something out of."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'observation'").get:
        return 0  # a copy from before there were any
    return sum(any(True for _ in _chosen(row, _is_in(row, held))) for row in _rows(connection, None))


def _holds(match: str | None) -> Goes:
    said = (match or "").casefold()
    return lambda _, item: any(said in text.casefold() for text in leaves(item))


def _at(places: Collection[str]) -> Goes:
    return lambda place, _: place in places


def _is_in(row: Row, held: Container[bytes]) -> Goes:
    return lambda place, item: any(mark in held for _, mark, _ in _marked(row[3], place, item))


def _rows(connection: Connection, of: Collection[str] | None) -> list[Row]:
    rows = connection.execute("SELECT id, extraction, entries, project FROM observation").fetchall()
    return [row for row in rows if of is None or row[3] in of]


def _leading(connection: Connection, entries: Collection[int]) -> list[Row]:
    return connection.execute(
        """SELECT id, extraction, entries, project FROM observation o WHERE EXISTS (SELECT 1 FROM json_each(o.entries) e
             WHERE e.value IN (SELECT value FROM json_each(?)))""",
        (json.dumps(list(entries)),),
    ).fetchall()


def _places(row: Row, entries: Collection[int]) -> set[str]:
    return {place for place, entry in json.loads(str(row[2])).items() if entry in entries}


def _chosen(row: Row, goes: Goes) -> Iterator[tuple[str, object]]:
    """The items of a record that are meant, with their places."""
    for category, value in json.loads(str(row[1])).items():
        for number, item in enumerate(items_in(value)):
            if item is not None and goes(f"{category}/{number}", item):
                yield f"{category}/{number}", item


def _marked(project: object, place: str, item: object) -> Iterator[tuple[str, bytes, str]]:
    """The marks that an item of a record may have, each with its field and the text that it stands for."""
    said = item if isinstance(item, dict) else {"content": item, "name": item}
    of = partial(of_statement, None if project is None else str(project))
    for field, mark in _FIELDS.get(place.partition("/")[0], (("content", of),)):
        text = said.get(field)
        if isinstance(text, str) and text.strip():
            yield field, mark(text), text


def _is_statement(place: str) -> bool:
    return place.partition("/")[0] in TYPES


_FIELDS: Mapping[str, Sequence[tuple[str, Callable[[str], bytes]]]] = {
    "entities": (("name", of_name),),
    "relationships": (("source", of_name), ("target", of_name), ("context", of_context)),
}


def _lay(connection: Connection, keys: Sequence[bytes]) -> None:
    connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?)", ((key,) for key in keys))


def _strike(connection: Connection, row: Row, goes: Goes) -> bool:
    """Take items out of a record; False where it holds none that is meant."""
    places = {place for place, _ in _chosen(row, goes)}
    if not places:
        return False
    left = {
        category: [
            None if f"{category}/{number}" in places else item for number, item in enumerate(items_in(value))
        ]
        for category, value in json.loads(str(row[1])).items()
    }
    entries = {place: entry for place, entry in json.loads(str(row[2])).items() if place not in places}
    connection.execute(
        "UPDATE observation SET extraction = ?, entries = ? WHERE id = ?",
        (json.dumps(left), json.dumps(entries), row[0]),
    )
    return True
