"""The words of turns in PostgreSQL, for ranking.

PostgreSQL's own ranks know nothing of how rare a word is. So each word is weighed, and its rank alone says how often it
stands in a row: 1 for once, then ever less for each further time, at most 1.64. How many rows hold a word is told by
the newest ones where it is frequent among them, and counted where it is not: to count the rows of a frequent word is to
read them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from memd.turns.stores.postgres import table, words
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.table import Condition
from memd.turns.stores.ranking import LENGTH, LONG, RANKED, Sought

SAMPLED = 400  # rows, the newest, among which a word is frequent or rare
FREQUENT = 8  # of them that hold it
DENSE = 0.1  # of the rows that are sought: then the newest are met sooner by their order than by the index
_ONCE = 0.0607927  # ts_rank of a word that stands once


class WordIndex:
    """The words of the rows of a condition."""

    def __init__(self, connection: Connection, name: str, which: Condition) -> None:
        self._connection, self._name, self._which = connection, name, which

    def holding(self, terms: Sequence[str]) -> Mapping[str, int]:
        """How many rows hold each word: exact for a rare one, at least ``RANKED`` for any other."""
        sampled, counts = self._sampled(terms)
        return {
            term: self._held(term, count, self._rows * count // max(1, sampled))
            for term, count in zip(terms, counts, strict=True)
        }

    def _held(self, term: str, sampled: int, likely: int) -> int:
        return likely if sampled >= FREQUENT and likely >= RANKED else self._counted(term)

    def ranked(self, sought: Sought, limit: int) -> dict[int, float]:
        """The best of the newest rows that are sought, with their scores."""
        match = (words.all_of if sought.every else words.any_of)(sought.words)
        rows = self._run(self._query(sought), [*_weights(sought), *self._which.values, match, limit])
        return {table.number(row): float(str(score)) for row, score in rows}

    def _query(self, sought: Sought) -> str:
        weighed = " + ".join("%s::float8 * ts_rank(words, %s::tsquery)" for _ in sought.weights)
        dense = sought.expected > DENSE * self._rows
        return f"""SELECT seq, ({weighed}) / (1 - {LONG} + {LONG} * greatest(1, ln(1 + size / {LENGTH})))
                   FROM (SELECT t.seq, t.words, t.size FROM "{self._name}" t
                         WHERE {self._which.where} AND t.words @@ %s::tsquery
                         ORDER BY t.seq {"" if dense else "+ 0"} DESC LIMIT {RANKED}) hit
                   ORDER BY 2 DESC, 1 DESC LIMIT %s"""

    def _sampled(self, terms: Sequence[str]) -> tuple[int, list[int]]:
        """How many of the newest rows there are, and how many of those hold each word."""
        told = ", ".join("count(*) FILTER (WHERE words @@ %s::tsquery)" for _ in terms)
        query = f"""SELECT count(*), {told} FROM (
                      SELECT t.words FROM "{self._name}" t ORDER BY t.seq DESC LIMIT {SAMPLED}) newest"""
        ((sampled, *counts),) = self._run(query, [words.any_of([term]) for term in terms])
        return table.number(sampled), [table.number(count) for count in counts]

    @cached_property
    def _rows(self) -> int:
        """How many rows there are, as their numbers have it."""
        ((rows,),) = self._run(f'SELECT max(t.seq) - min(t.seq) + 1 FROM "{self._name}" t')
        return table.number(rows)

    def _counted(self, term: str) -> int:
        """How many rows hold a word, counted up to ``RANKED``."""
        query = f"""SELECT count(*) FROM (
                      SELECT 1 FROM "{self._name}" t WHERE t.words @@ %s::tsquery LIMIT {RANKED}) few"""
        ((count,),) = self._run(query, [words.any_of([term])])
        return table.number(count)

    def _run(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        return run(self._connection, query, values).fetchall()


def _weights(sought: Sought) -> list[object]:
    pairs = ((weight / _ONCE, words.any_of([term])) for term, weight in sought.weights.items())
    return [value for pair in pairs for value in pair]
