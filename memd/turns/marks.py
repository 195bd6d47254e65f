"""User turns by the phrases they hold, remembered from one question to the next.

Where only turns were added since, those alone are looked at; where one was changed or went (memd/db/turn_changes.py),
or many were added, the index is asked again. The lists are the same either way.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memd.db import driver, fts, turn_changes
from memd.db.driver import Connection
from memd.db.keyword import Filter
from memd.text import cjk
from memd.turns import recalled, search
from memd.turns.recalled import Row
from memd.turns.search import Question

REMEMBERED = 64  # lists
ADDED = 100  # rows: to look at more costs about what the index takes


@dataclass(frozen=True, slots=True)
class _List:
    """The turns of one list, as they were after so many changes and up to the row ``newest``."""

    changes: int
    newest: int
    rows: Sequence[Row]


class Marks:
    """Remembers lists of marked turns; safe to share between reader threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[object, _List] = OrderedDict()
        self._lock = threading.Lock()

    def find(
        self, connection: Connection, question: Question, phrases: Sequence[str], most: int
    ) -> Sequence[Row]:
        """User turns of the scope that hold one of these phrases, the newest first."""
        where = search.condition(replace(question, role="user"))
        asked = (connection.filename, where.where, tuple(where.values), tuple(phrases), most)
        changes = turn_changes.count(connection)
        newest = driver.number(connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get)
        with self._lock:
            known = self._known.get(asked)
        rows = None
        if known is not None and known.changes == changes:
            rows = _continued(connection, known, newest, where, phrases, most)
        if rows is None:
            rows = marked(connection, where, phrases, most)
        with self._lock:
            self._known[asked] = _List(changes, newest, rows)
            self._known.move_to_end(asked)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return rows


def _continued(
    connection: Connection, known: _List, newest: int, where: Filter, phrases: Sequence[str], most: int
) -> Sequence[Row] | None:
    """A list with the turns that were added to it; None where it is to be made anew."""
    if newest == known.newest:
        return known.rows
    if not 0 < newest - known.newest <= ADDED:  # below 0: an older snapshot than the list's
        return None
    return [*_added(connection, known.newest, where, phrases), *known.rows][:most]


def _added(connection: Connection, after: int, where: Filter, phrases: Sequence[str]) -> list[Row]:
    """The turns behind a row that hold one of the phrases, cut into words as the index cuts them."""
    query = f"""SELECT t.rowid FROM turn t CROSS JOIN session s ON s.id = t.session_id
                WHERE t.rowid > ? AND {where.where} ORDER BY t.rowid DESC"""
    places = [driver.number(row[0]) for row in connection.execute(query, (after, *where.values))]
    rows = recalled.at(connection, places)
    sought = [phrase for text in phrases if (phrase := _in_a_row(connection, _phrase(text))).strip()]
    return [rows[place] for place in places if _holds(connection, rows[place].text, sought)]


def _holds(connection: Connection, text: str, sought: Sequence[str]) -> bool:
    words = _in_a_row(connection, fts.index_text(text))
    return any(phrase in words for phrase in sought)


def _in_a_row(connection: Connection, text: str) -> str:
    """The words that the index holds of a text, with a space around each."""
    return f" {' '.join(fts.stem_of(connection, text))} "


def marked(connection: Connection, where: Filter, phrases: Sequence[str], most: int) -> Sequence[Row]:
    """The turns that hold one of these phrases, the newest first, by the index."""
    match = " OR ".join(f'"{phrase}"' for phrase in (_phrase(text) for text in phrases) if phrase)
    if not match:
        return []
    query = f"""SELECT t.rowid FROM turn_fts CROSS JOIN turn t ON t.rowid = turn_fts.rowid
                JOIN session s ON s.id = t.session_id WHERE turn_fts MATCH ? AND {where.where}
                ORDER BY turn_fts.rowid DESC LIMIT ?"""
    places = [driver.number(row[0]) for row in connection.execute(query, (match, *where.values, most))]
    rows = recalled.at(connection, places)
    return [rows[place] for place in places]


def _phrase(text: str) -> str:
    """A phrase's words with nothing in them that a match expression would read."""
    return " ".join(cjk.sought(text).replace('"', " ").split())
