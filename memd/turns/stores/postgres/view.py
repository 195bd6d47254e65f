"""The SQL behind a search in PostgreSQL: the turns of one scope and time window, each question answered by an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memd.turns.store import Extent, Hit, MemoryItem, Scope
from memd.turns.stores import ranking
from memd.turns.stores.postgres import table, words
from memd.turns.stores.postgres.days import Days
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.near import VectorIndex
from memd.turns.stores.postgres.ranking import WordIndex
from memd.turns.stores.postgres.table import Condition
from memd.turns.stores.words import asked

_BESIDE = """LEFT JOIN LATERAL (SELECT n.seq FROM "{table}" n
  WHERE n.thread = t.thread AND (n.created_at, n.seq) {order} (t.created_at, t.seq) {window}
  ORDER BY n.created_at {way}, n.seq {way} LIMIT 1) {name} ON true"""


class PostgresView:
    """What recall asks of a scope, on a connection in one snapshot."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        scope: Scope,
        since: datetime | None,
        until: datetime | None,
    ) -> None:
        self._connection, self._name = connection, name
        self._all = table.condition(scope)
        self._in = table.condition(scope, since, until)
        self._days, self._every = Days(connection, name, scope, since, until), Days(connection, name, scope)
        window = table.window(since, until)
        beside = "".join(f" AND {clause.replace('t.', 'n.')}" for clause, _ in window)
        self._window = [at for _, at in window]
        self._before = _BESIDE.format(table=name, order="<", window=beside, way="DESC", name="b")
        self._after = _BESIDE.format(table=name, order=">", window=beside, way="ASC", name="a")

    def extent(self) -> Extent:
        return self._days.extent()

    def first(self, most: int, most_bytes: int) -> list[MemoryItem] | None:
        ((turns, size),) = self._run(
            f"""SELECT count(*), coalesce(sum(size), 0) FROM (
                  SELECT t.size FROM "{self._name}" t WHERE {self._in.where} LIMIT %s) few""",
            [*self._in.values, most + 1],
        )
        return self._find(self._in) if int(str(turns)) <= most and int(str(size)) <= most_bytes else None

    def ranked(self, text: str, limit: int) -> list[Hit]:
        scores = ranking.best(WordIndex(self._connection, self._name, self._in), asked(text), limit)
        return self._hits(scores, limit)

    def nearest(self, space: str, vector: Sequence[float], limit: int) -> list[Hit] | None:
        index = VectorIndex.of(self._connection, self._name, space, vector)
        if index is None:
            return None
        return self._hits(index.nearest(self._in, self._days.turns(), limit), limit)

    def cosines(self, space: str, vector: Sequence[float], ids: Sequence[str]) -> Mapping[str, float]:
        index = VectorIndex.of(self._connection, self._name, space, vector)
        if index is None or not ids:
            return {}
        rows = self._run(f'SELECT seq, id FROM "{self._name}" WHERE id = ANY(%s)', [list(ids)])
        names = {table.number(row): str(id) for row, id in rows}
        found = index.cosines(Condition("t.seq = ANY(%s)", [list(names)]))
        return {names[row]: cosine for row, cosine in found.items()}

    def _hits(self, scores: Mapping[int, float], limit: int) -> list[Hit]:
        items = table.at(self._connection, self._name, scores)
        before = self._rows_before(list(items))
        best = sorted(scores, key=lambda row: (-scores[row], -row))[:limit]
        return [Hit(items[row], scores[row], before.get(row)) for row in best]

    def _rows_before(self, rows: Sequence[int]) -> dict[int, int]:
        query = f"""SELECT t.seq, b.seq FROM "{self._name}" t {self._before}
                    WHERE t.seq = ANY(%s) AND b.seq IS NOT NULL"""
        found = self._run(query, [*self._window, list(rows)])
        return {table.number(row): table.number(other) for row, other in found}

    def around(self, ids: Sequence[str]) -> Mapping[str, tuple[MemoryItem | None, MemoryItem | None]]:
        query = f"""SELECT t.id, b.seq, a.seq FROM "{self._name}" t {self._before} {self._after}
                    WHERE t.id = ANY(%s)"""
        rows = self._run(query, [*self._window, *self._window, list(ids)])
        found = {str(id): (table.number(before), table.number(after)) for id, before, after in rows}
        beside = [row for pair in found.values() for row in pair if row]
        items = table.at(self._connection, self._name, beside)
        return {id: (items.get(one), items.get(other)) for id, (one, other) in found.items()}

    def marked(self, phrases: Sequence[str], limit: int) -> list[MemoryItem]:
        match = " | ".join(f"({phrase})" for phrase in map(words.phrase, phrases) if phrase)
        if not match:
            return []
        query = f"""SELECT {table.WHOLE} FROM "{self._name}" t
                    WHERE t.role = 'user' AND {self._in.where} AND t.words @@ %s::tsquery
                    ORDER BY t.created_at DESC, t.seq DESC LIMIT %s"""
        return [table.item(row) for row in self._run(query, [*self._in.values, match, limit])]

    def spread(self, most: int) -> list[MemoryItem]:
        rows = self._days.spread(most)
        items = table.at(self._connection, self._name, rows)
        return [items[row] for row in rows]

    def listed(self, most: int) -> list[MemoryItem] | None:
        if self._every.turns() > most:
            return None
        return self._find(self._all, table.COLUMNS.format(text="''").replace("t.nuls", "'{}'::integer[]"))

    def counts(self) -> tuple[int, int]:
        inside = self._days.turns()
        return inside, self._every.turns() - inside

    def _find(self, which: Condition, columns: str = table.WHOLE) -> list[MemoryItem]:
        return table.find(self._connection, self._name, which, columns)

    def _run(self, query: str, values: Sequence[object]) -> list[Row]:
        return run(self._connection, query, values).fetchall()
