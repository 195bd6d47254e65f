"""The turns of PostgreSQL that are nearest in meaning, by the index of their vectors that near_schema.py makes.

Of a small scope each vector is compared. Of a large one the index gives the nearest of the whole table, one after the
other, until enough are of the scope; where it gives up before, each of the scope is compared after all.
"""

from __future__ import annotations

from collections.abc import Sequence

from memd.turns.stores.postgres import near_schema, table
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.near_schema import Kind
from memd.turns.stores.postgres.table import Condition

FEW = 4_000  # turns of a scope that are compared one by one
WINDOWS = 2  # of a turn, which may all be near
MOST = 1_000  # that a scan of an index looks at, where it does not go on by itself

_ENOUGH = "SET LOCAL hnsw.ef_search = {enough}"
_GOING_ON = "; SET LOCAL hnsw.iterative_scan = relaxed_order"
_EACH = """SELECT t.seq, min({distance}), count(*) FROM "{name}" t JOIN "{name}_vector" v ON v.turn = t.seq
  WHERE {where} AND v.space = %s AND {known} GROUP BY t.seq ORDER BY 2, 1 DESC LIMIT %s"""
_NEAREST = """SELECT seq, min(distance), count(*) FROM (
    SELECT t.seq, {distance} AS distance FROM "{name}_vector" v JOIN "{name}" t ON t.seq = v.turn
    WHERE {where} AND v.space = %s AND {known} ORDER BY {distance} LIMIT %s) n
  GROUP BY seq ORDER BY 2, 1 DESC LIMIT %s"""


class VectorIndex:
    """The vectors of one space."""

    def __init__(
        self, connection: Connection, name: str, kind: Kind, space: str, vector: Sequence[float]
    ) -> None:
        self._connection, self._name, self._kind, self._space = connection, name, kind, space
        self._vector = f"[{','.join(map(str, vector))}]"
        self._known = f"{kind.schema}.vector_dims(v.near) = {len(vector)}"
        one = f"{kind.schema}.{kind.type}({len(vector)})"
        self._distance = f"(v.near::{one} OPERATOR({kind.schema}.<=>) %s::{one})"

    @classmethod
    def of(cls, connection: Connection, name: str, space: str, vector: Sequence[float]) -> VectorIndex | None:
        """The index of a space, to be asked for what is near to a vector; None where there is none."""
        kind = near_schema.kind(connection, name)
        if kind is None or not near_schema.is_indexed(connection, name, space, len(vector)):
            return None
        return cls(connection, name, kind, space, vector)

    def nearest(self, which: Condition, turns: int, limit: int) -> dict[int, float]:
        """The nearest of the turns of a condition, of which there are so many, each with its cosine."""
        found = self._by_index(which, limit) if turns > FEW else None
        return self.cosines(which, limit) if found is None else found

    def cosines(self, which: Condition, limit: int | None = None) -> dict[int, float]:
        """The turns of a condition that have vectors, each with the cosine of its nearest, the nearest first."""
        return _cosines(self._run(_EACH, which, [self._vector, *which.values, self._space, limit]))

    def _by_index(self, which: Condition, limit: int) -> dict[int, float] | None:
        """The nearest that a scan of the index comes upon; None where it comes upon too few."""
        goes_on, windows = self._kind.goes_on, min(MOST, WINDOWS * limit)
        wanted = _ENOUGH.format(enough=windows if goes_on else MOST) + (_GOING_ON if goes_on else "")
        run(self._connection, wanted, None)
        values = [self._vector, *which.values, self._space, self._vector, windows, limit]
        rows = self._run(_NEAREST, which, values)
        met = sum(table.number(count) for _, _, count in rows)
        return _cosines(rows) if met >= windows or len(rows) >= limit else None

    def _run(self, query: str, which: Condition, values: Sequence[object]) -> list[Row]:
        told = query.format(name=self._name, where=which.where, known=self._known, distance=self._distance)
        return run(self._connection, told, values).fetchall()


def _cosines(rows: Sequence[Row]) -> dict[int, float]:
    """By row; the distance to a vector of no length is no number, and left out."""
    told = ((table.number(row), 1 - float(str(far))) for row, far, _ in rows)
    return {row: cosine for row, cosine in told if cosine == cosine}
