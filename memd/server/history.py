"""Recall's history over the database: one scope, one question, on one connection and in one snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from memd.db.driver import Connection
from memd.db.vectors import Lane
from memd.ranking import fusion
from memd.recall.context import StoredTurn
from memd.recall.history import Extent, Found
from memd.turns import recalled, search
from memd.turns.marks import Marks
from memd.turns.recalled import Row
from memd.turns.search import Question


class IndexedHistory:
    """What recall asks, answered by the indexes; what it asks again, for another budget, is remembered."""

    def __init__(
        self,
        connection: Connection,
        question: Question,
        lane: Lane,
        marks: Marks,
    ) -> None:
        self._connection = connection
        self._question = question
        self._lane = lane
        self._marks = marks
        self._best: dict[int, Sequence[Found]] = {}
        self._about: dict[tuple[str, int], Sequence[Found]] = {}

    def extent(self) -> Extent:
        return self._extent

    @cached_property
    def _extent(self) -> Extent:
        found = recalled.size(self._connection, self._question)
        return Extent(found.turns, found.sessions, found.bytes, found.exact)

    def whole(self, most_turns: int, most_bytes: int) -> Sequence[StoredTurn] | None:
        return _turns(recalled.whole(self._connection, self._question, most_turns, most_bytes))

    def best(self, limit: int) -> Sequence[Found]:
        if limit not in self._best:
            self._best[limit] = self._found(replace(self._question, limit=limit), self._lane)
        return self._best[limit]

    def about(self, text: str, limit: int) -> Sequence[Found]:
        if (text, limit) not in self._about:
            asked = replace(self._question, text=text, limit=limit, mode="keyword")
            self._about[text, limit] = self._found(asked, Lane(self._lane.vectors))
        return self._about[text, limit]

    def around(
        self, turns: Sequence[StoredTurn]
    ) -> Mapping[str, tuple[StoredTurn | None, StoredTurn | None]]:
        found = recalled.around(self._connection, self._question, [turn.id for turn in turns])
        return {id: (_turn(before), _turn(after)) for id, (before, after) in found.items()}

    def marked(self, phrases: Sequence[str], limit: int) -> Sequence[StoredTurn]:
        return _turns(self._marks.find(self._connection, self._question, phrases, limit)) or ()

    def spread(self, most: int) -> Sequence[StoredTurn]:
        return _turns(recalled.spread(self._connection, self._question, most)) or ()

    def listed(self, most: int) -> Sequence[StoredTurn] | None:
        return _turns(recalled.listed(self._connection, self._question, most))

    def counts(self) -> tuple[int, int]:
        return recalled.counts(self._connection, self._question)

    def _found(self, asked: Question, lane: Lane) -> list[Found]:
        ranked = search.find(self._connection, asked, lane)
        best = [one.row for one in fusion.best(ranked.ranked(), asked.limit)]
        rows, by_row = recalled.at(self._connection, best), {one.row: one for one in ranked.candidates}
        return [
            Found(StoredTurn(*rows[row]), ranked.lifted[row], by_row[row].bm25, by_row[row].cosine)
            for row in best
        ]


def _turn(row: Row | None) -> StoredTurn | None:
    return None if row is None else StoredTurn(*row)


def _turns(rows: Sequence[Row] | None) -> list[StoredTurn] | None:
    return None if rows is None else [StoredTurn(*row) for row in rows]
