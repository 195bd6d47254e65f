"""How well turns in PostgreSQL meet the words of a question, at a cost that is bounded whatever the words.

PostgreSQL's own ranks know nothing of how rare a word is. So each word is weighed by the rows that hold it, as in BM25,
and its rank alone says how often it stands in a row: 1 for once, then ever less for each further time, at most 1.64.
How many rows hold a word is told by the newest ones where it is frequent among them, and counted where it is not: to
count the rows of a frequent word is to read them all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memd.turns.stores.postgres import words
from memd.turns.stores.postgres.driver import Connection, run
from memd.turns.stores.postgres.table import Condition

RANKED = 800  # hits that one expression may rank
SAMPLED = 400  # rows, the newest, among which a word is frequent or rare
FREQUENT = 8  # of them that hold it
TOGETHER = 6  # words that must all stand in a row
ENOUGH = 50
LARGE = 1_000_000  # rows, past which no word is rarer
_ONCE = 0.0607927  # ts_rank of a word that stands once
_LENGTH = 800.0  # bytes, past which a text counts for less
_LONG = 0.5  # how much of a score depends on the length


class Ranking:
    """The turns of a condition by the words of a question."""

    def __init__(self, connection: Connection, name: str, which: Condition) -> None:
        self._connection, self._name, self._which = connection, name, which

    def best(self, terms: Sequence[str], limit: int) -> dict[int, float]:
        """Rows and their scores (higher is better), at most ``limit`` of each step."""
        held = {term: count for term, count in self._holding(terms).items() if count}
        known = dict(sorted(held.items(), key=lambda pair: pair[1]))
        if not known:
            return {}
        chosen = _affordable(known)
        if len(chosen) == len(known):
            return self._ranked(words.any_of(chosen), known, limit)
        found = self._ranked(words.all_of(list(known)[:TOGETHER]), known, limit)
        if len(found) < min(ENOUGH, limit):
            found = self._ranked(words.any_of(chosen or list(known)[:1]), known, limit) | found
        return found

    def _holding(self, terms: Sequence[str]) -> dict[str, int]:
        """How many rows hold each word, at least ``RANKED`` of one that is frequent."""
        sampled, counts = self._sampled(terms)
        rows = self._rows()
        return {
            term: max(RANKED, rows * count // sampled) if count >= FREQUENT else self._counted(term)
            for term, count in zip(terms, counts, strict=True)
        }

    def _sampled(self, terms: Sequence[str]) -> tuple[int, list[int]]:
        """How many of the newest rows there are, and how many of those hold each word."""
        told = ", ".join("count(*) FILTER (WHERE words @@ %s::tsquery)" for _ in terms)
        query = f"""SELECT count(*), {told} FROM (
                      SELECT t.words FROM "{self._name}" t ORDER BY t.seq DESC LIMIT {SAMPLED}) newest"""
        found = run(self._connection, query, [f"'{term}'" for term in terms]).fetchone() or ()
        sampled, *counts = (int(str(count)) for count in found)
        return sampled, counts

    def _rows(self) -> int:
        """How many rows there are, as their numbers have it."""
        query = f'SELECT coalesce(max(t.seq) - min(t.seq) + 1, 0) FROM "{self._name}" t'
        found = run(self._connection, query).fetchone()
        return int(str(found[0])) if found else 0

    def _counted(self, term: str) -> int:
        """How many rows hold a word, counted up to ``RANKED``."""
        query = f"""SELECT count(*) FROM (
                      SELECT 1 FROM "{self._name}" t WHERE t.words @@ %s::tsquery LIMIT {RANKED}) few"""
        found = run(self._connection, query, [f"'{term}'"]).fetchone()
        return int(str(found[0])) if found else 0

    def _ranked(self, match: str, known: Mapping[str, int], limit: int) -> dict[int, float]:
        """The best of the newest hits, ``RANKED`` of them at most."""
        weighed = " + ".join("%s::float8 * ts_rank(words, %s::tsquery)" for _ in known)
        weights = [value for term, count in known.items() for value in (_rarity(count) / _ONCE, f"'{term}'")]
        query = f"""SELECT seq, ({weighed}) / (1 - {_LONG} + {_LONG} * greatest(1, ln(1 + size / {_LENGTH})))
                    FROM (SELECT t.seq, t.words, t.size FROM "{self._name}" t
                          WHERE t.words @@ %s::tsquery AND {self._which.where}
                          ORDER BY t.seq DESC LIMIT {RANKED}) hit
                    ORDER BY 2 DESC, 1 DESC LIMIT %s"""
        rows = run(self._connection, query, [*weights, match, *self._which.values, limit])
        return {int(str(row)): float(str(score)) for row, score in rows}


def _affordable(known: Mapping[str, int]) -> list[str]:
    """The rarest words that may be ranked together."""
    chosen: list[str] = []
    left = RANKED
    for term, count in known.items():
        left -= count
        if left < 0:
            break
        chosen.append(term)
    return chosen


def _rarity(count: int) -> float:
    """How much a word tells: more the fewer rows hold it, never nothing."""
    return math.log(1 + LARGE / (count + 0.5))
