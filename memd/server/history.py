"""Recall's history over the database: one scope, one question, on one connection and in one snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memd.db.driver import Connection
from memd.db.vectors import Vectors
from memd.recall.context import StoredTurn
from memd.recall.history import Extent, Found
from memd.turns import recalled, search
from memd.turns.recalled import Marks, Row
from memd.turns.search import Question, Ranking

if TYPE_CHECKING:
    from memd.turns.search import Vector


class IndexedHistory:
    """What recall asks, answered by the indexes."""

    def __init__(
        self,
        connection: Connection,
        question: Question,
        vectors: Vectors,
        space: int | None,
        vector: Vector | None,
        marks: Marks,
    ) -> None:
        self._connection = connection
        self._question = question
        self._vectors = vectors
        self._space = space
        self._vector = vector
        self._marks = marks
        self._best: dict[int, Sequence[Found]] = {}

    def extent(self) -> Extent:
        found = recalled.size(self._connection, self._question)
        return Extent(found.turns, found.sessions, found.bytes, found.exact)

    def whole(self, most_turns: int, most_bytes: int) -> Sequence[StoredTurn] | None:
        return _turns(recalled.whole(self._connection, self._question, most_turns, most_bytes))

    def best(self, limit: int) -> Sequence[Found]:
        if limit not in self._best:
            asked = replace(self._question, limit=limit)
            ranking = search.rank(self._connection, asked, self._vectors, self._space, self._vector)
            self._best[limit] = self._found(ranking)
        return self._best[limit]

    def about(self, text: str, limit: int) -> Sequence[Found]:
        asked = replace(self._question, text=text, limit=limit, mode="keyword")
        return self._found(search.rank(self._connection, asked, self._vectors, None, None))

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

    def _found(self, ranking: Ranking) -> list[Found]:
        rows = recalled.at(self._connection, [one.row for one in ranking.best])
        return [
            Found(StoredTurn(*rows[one.row]), ranking.ranked[one.row], one.bm25, one.cosine)
            for one in ranking.best
        ]


def _turn(row: Row | None) -> StoredTurn | None:
    return None if row is None else StoredTurn(*row)


def _turns(rows: Sequence[Row] | None) -> list[StoredTurn] | None:
    return None if rows is None else [StoredTurn(*row) for row in rows]
