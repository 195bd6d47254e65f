"""How many rows of a text index hold each term of a question.

All its words are looked up at once: opening the index's vocabulary costs more than most of what is read there.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from memd.db import driver
from memd.db.driver import Connection
from memd.db.fts import TURNS, Index, Term

# How many rows hold a frequent word is remembered: counting takes milliseconds, and a plan needs no exact figure.
FREQUENT = 1_000
REMEMBERED = 4_096

_frequent: dict[tuple[str, str, str], int] = {}


class Counts:
    """The rows that hold each of these terms, and each of their words."""

    def __init__(self, connection: Connection, terms: Iterable[Term], index: Index = TURNS) -> None:
        self._connection, self._index = connection, index
        known = list(terms)
        self._rows = self._looked_up({stem for term in known for stem in term.stems})
        self._beginnings = {term.stems[-1]: self._begun(term.stems[-1]) for term in known if term.prefix}

    def of(self, term: Term) -> int:
        """How many rows hold the rarest word of a term, at most those that hold the term."""
        if term.prefix:
            return self._beginnings[term.stems[-1]]
        return min(self._rows.get(stem, 0) for stem in term.stems)

    def reading(self, term: Term) -> int:
        """How many entries of the index a count of the rows with a term goes through, about."""
        return self.of(term) if term.prefix else sum(self._rows.get(stem, 0) for stem in term.stems)

    def _looked_up(self, stems: set[str]) -> dict[str, int]:
        place = (self._connection.filename, self._index.name)
        known = {stem: _frequent[*place, stem] for stem in stems if (*place, stem) in _frequent}
        if unknown := sorted(stems - known.keys()):
            query = (
                f"SELECT term, doc FROM {self._index.vocab} WHERE term IN (SELECT value FROM json_each(?))"
            )
            rows = self._connection.execute(query, (orjson.dumps(unknown).decode(),))
            found = {str(stem): driver.number(count) for stem, count in rows}
            if self._connection.filename:  # one in memory has no name to be known by
                _remember({(*place, stem): count for stem, count in found.items() if count >= FREQUENT})
            known |= found
        return known

    def _begun(self, start: str) -> int:
        """How many entries the index has for the words that begin so."""
        query = f"SELECT coalesce(sum(doc), 0) FROM {self._index.vocab} WHERE term >= ? AND term < ?"
        return int(self._connection.execute(query, (start, start + "\U0010ffff")).get)


def _remember(counts: dict[tuple[str, str, str], int]) -> None:
    if len(_frequent) + len(counts) > REMEMBERED:
        _frequent.clear()
    _frequent.update(counts)
