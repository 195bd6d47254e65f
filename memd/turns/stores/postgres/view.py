"""The SQL behind a search in PostgreSQL: the turns of one scope and time window, each question answered by an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memd.turns.store import Extent, Hit, MemoryItem, Scope
from memd.turns.stores.postgres import table, words
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.ranking import Ranking
from memd.turns.stores.postgres.table import Condition

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
        window = [
            (clause, at) for clause, at in (("n.created_at >= %s", since), ("n.created_at < %s", until)) if at
        ]
        beside = "".join(f" AND {clause}" for clause, _ in window)
        self._window = [at for _, at in window]
        self._before = _BESIDE.format(table=name, order="<", window=beside, way="DESC", name="b")
        self._after = _BESIDE.format(table=name, order=">", window=beside, way="ASC", name="a")

    def extent(self) -> Extent:
        rows = self._run(
            f"""SELECT t.user_id, t.agent_id, t.run_id, min(t.created_at), max(t.created_at), count(*), sum(t.size)
                FROM "{self._name}" t WHERE {self._in.where}
                GROUP BY t.user_id, t.agent_id, t.run_id,
                  CASE WHEN t.run_id IS NULL THEN (t.created_at AT TIME ZONE 'UTC')::date END""",
            self._in.values,
        )
        turns = size = 0
        sessions: list[tuple[str | None, str | None, str | None, datetime]] = []
        for user, agent, run_id, first, last, count, bytes_ in rows:
            ids = (_name(user), _name(agent), _name(run_id))
            turns, size = turns + int(str(count)), size + int(str(bytes_))
            sessions += ((*ids, moment) for moment in (first, last) if isinstance(moment, datetime))
        return Extent(turns, size, sessions)

    def first(self, most: int, most_bytes: int) -> list[MemoryItem] | None:
        ((turns, size),) = self._run(
            f"""SELECT count(*), coalesce(sum(size), 0) FROM (
                  SELECT t.size FROM "{self._name}" t WHERE {self._in.where} LIMIT %s) few""",
            [*self._in.values, most + 1],
        )
        return self._find(self._in) if int(str(turns)) <= most and int(str(size)) <= most_bytes else None

    def ranked(self, text: str, limit: int) -> list[Hit]:
        scores = Ranking(self._connection, self._name, self._in).best(words.asked(text), limit)
        items = table.at(self._connection, self._name, scores)
        before = {
            row: other for row, other in self._beside(self._before, "b.seq", list(items)) if other is not None
        }
        best = sorted(scores, key=lambda row: (-scores[row], -row))[:limit]
        return [Hit(items[row], scores[row], before.get(row)) for row in best]

    def _beside(self, joined: str, found: str, rows: Sequence[int]) -> list[tuple[int, int | None]]:
        query = f'SELECT t.seq, {found} FROM "{self._name}" t {joined} WHERE t.seq = ANY(%s)'
        return [(_row(row), _row(other)) for row, other in self._run(query, [*self._window, list(rows)])]

    def around(self, ids: Sequence[str]) -> Mapping[str, tuple[MemoryItem | None, MemoryItem | None]]:
        query = f"""SELECT t.id, b.seq, a.seq FROM "{self._name}" t {self._before} {self._after}
                    WHERE t.id = ANY(%s)"""
        rows = self._run(query, [*self._window, *self._window, list(ids)])
        found = {str(id): (_row(before), _row(after)) for id, before, after in rows}
        beside = [row for pair in found.values() for row in pair if row]
        items = table.at(self._connection, self._name, beside)
        return {id: (items.get(one), items.get(other)) for id, (one, other) in found.items()}

    def marked(self, phrases: Sequence[str], limit: int) -> list[MemoryItem]:
        match = " | ".join(f"({phrase})" for phrase in map(words.phrase, phrases) if phrase)
        if not match:
            return []
        query = f"""SELECT {table.WHOLE} FROM "{self._name}" t
                    WHERE t.words @@ %s::tsquery AND t.role = 'user' AND {self._in.where}
                    ORDER BY t.created_at DESC, t.seq DESC LIMIT %s"""
        return [table.item(row) for row in self._run(query, [match, *self._in.values, limit])]

    def spread(self, most: int) -> list[MemoryItem]:
        query = f"""SELECT t.seq FROM "{self._name}" t WHERE {self._in.where} ORDER BY t.created_at, t.seq"""
        rows = [_row(row) for (row,) in self._run(query, self._in.values)]
        if len(rows) > most:
            step = (len(rows) - 1) / max(1, most - 1)
            rows = [rows[round(n * step)] for n in range(most)]
        items = table.at(self._connection, self._name, rows)
        return [items[row] for row in rows]

    def listed(self, most: int) -> list[MemoryItem] | None:
        if self._count(self._all) > most:
            return None
        return self._find(self._all, table.COLUMNS.format(text="''").replace("t.nuls", "'{}'::integer[]"))

    def counts(self) -> tuple[int, int]:
        inside = self._count(self._in)
        return inside, self._count(self._all) - inside

    def _count(self, which: Condition) -> int:
        ((count,),) = self._run(f'SELECT count(*) FROM "{self._name}" t WHERE {which.where}', which.values)
        return _row(count)

    def _find(self, which: Condition, columns: str = table.WHOLE) -> list[MemoryItem]:
        return table.find(self._connection, self._name, which, columns)

    def _run(self, query: str, values: Sequence[object]) -> list[Row]:
        return run(self._connection, query, values).fetchall()


def _row(value: object) -> int:
    """A number of a row; 0, which none has, where there is none."""
    return value if isinstance(value, int) else 0


def _name(value: object) -> str | None:
    return None if value is None else str(value)
