"""How well turns in PostgreSQL meet the words of a question, at a cost that is bounded whatever the words.

PostgreSQL's own ranks know nothing of how rare a word is. So each word is weighed by the rows that hold it, as in BM25,
and its rank alone says how often it stands in a row: 1 for once, then ever less for each further time, at most 1.64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memd.turns.stores.postgres import words
from memd.turns.stores.postgres.driver import Connection, run
from memd.turns.stores.postgres.table import Condition

RANKED = 800  # hits that one expression may rank
COUNTED = 5_000  # rows that hold a word are counted up to here; one in more rows tells little
TOGETHER = 6  # words that must all stand in a row
ENOUGH = 50
_ONCE = 0.0607927  # ts_rank of a word that stands once
_LENGTH = 800.0  # bytes, past which a text counts for less
_LONG = 0.5  # how much of a score depends on the length


class Ranking:
    """The turns of a condition by the words of a question."""

    def __init__(self, connection: Connection, name: str, which: Condition) -> None:
        self._connection, self._name, self._which = connection, name, which

    def best(self, terms: Sequence[str], limit: int) -> dict[int, float]:
        """Rows and their scores (higher is better), at most ``limit`` of each step."""
        held = {term: count for term in terms if (count := self._holding(term))}
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

    def _holding(self, term: str) -> int:
        """How many rows hold a word, counted up to ``COUNTED``."""
        query = (
            f'SELECT count(*) FROM (SELECT 1 FROM "{self._name}" t WHERE t.words @@ %s::tsquery LIMIT %s) few'
        )
        found = run(self._connection, query, [f"'{term}'", COUNTED]).fetchone()
        return int(str(found[0])) if found else 0

    def _ranked(self, match: str, known: Mapping[str, int], limit: int) -> dict[int, float]:
        """The best of the newest hits, ``RANKED`` of them at most."""
        weighed = " + ".join("%s * ts_rank(words, %s::tsquery)" for _ in known)
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
    return math.log(1 + 2 * COUNTED / (count + 0.5))
