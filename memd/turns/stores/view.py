"""The SQL behind a search: the turns of one scope and time window, each question answered by an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import orjson

from memd.db import driver, keyword
from memd.db.driver import Connection, Value
from memd.db.fts import Index
from memd.db.keyword import Filter
from memd.text import cjk
from memd.turns.store import Extent, Hit, MemoryItem, Scope
from memd.turns.stores import table

INDEX = Index(
    "turn_fts",
    "turn_vocab",
    "CROSS JOIN turn t ON t.seq = turn_fts.rowid",
    "SELECT seq AS place, content FROM turn",
)
REMEMBERED = 64  # scopes
_DAY = "(t.at_us + 62135596800000000) / 86400000000"  # in UTC, since the year 1
_SAME = "n.user_id IS t.user_id AND n.agent_id IS t.agent_id AND n.run_id IS t.run_id"
_BEFORE = f"""(SELECT n.seq FROM turn n WHERE {_SAME} AND (n.at_us, n.seq) < (t.at_us, t.seq) {{}}
  ORDER BY n.at_us DESC, n.seq DESC LIMIT 1)"""
_AFTER = f"""(SELECT n.seq FROM turn n WHERE {_SAME} AND (n.at_us, n.seq) > (t.at_us, t.seq) {{}}
  ORDER BY n.at_us, n.seq LIMIT 1)"""


class Measured:
    """How much scopes hold, remembered until something is written: measuring one looks at each of its turns."""

    def __init__(self) -> None:
        self._state: object = None
        self._known: dict[object, Extent] = {}

    def extent(self, connection: Connection, which: Filter, measure: Callable[[], Extent]) -> Extent:
        """The extent of what a condition means, measured where it is not known."""
        state = (connection.execute("PRAGMA data_version").get, connection.total_changes())
        if state != self._state or len(self._known) >= REMEMBERED:
            self._state, self._known = state, {}
        asked = (which.where, tuple(which.values))
        if asked not in self._known:
            self._known[asked] = measure()
        return self._known[asked]


class SQLiteView:
    """What recall asks of a scope, on a connection in one snapshot."""

    def __init__(
        self,
        connection: Connection,
        measured: Measured,
        scope: Scope,
        since: datetime | None,
        until: datetime | None,
    ) -> None:
        self._connection, self._measured = connection, measured
        self._all = table.condition(scope)
        self._in = table.condition(scope, since, until)
        window = table.window(since, until)
        self._beside = "".join(f" AND {clause.replace('t.', 'n.')}" for clause, _ in window)
        self._beside_values = [value for _, value in window]

    def extent(self) -> Extent:
        return self._measured.extent(self._connection, self._in, self._extent)

    def _extent(self) -> Extent:
        rows = self._connection.execute(
            f"""SELECT t.user_id, t.agent_id, t.run_id, min(t.at_us), max(t.at_us), count(*), sum(t.size)
                FROM turn t WHERE {self._in.where}
                GROUP BY t.user_id, t.agent_id, t.run_id, iif(t.run_id IS NULL, {_DAY}, 0)""",
            tuple(self._in.values),
        )
        turns = size = 0
        sessions: list[tuple[str | None, str | None, str | None, datetime]] = []
        for user, agent, run, first, last, count, bytes_ in rows:
            turns, size = turns + count, size + bytes_
            sessions += ((user, agent, run, table.moment(first)), (user, agent, run, table.moment(last)))
        return Extent(turns, size, sessions)

    def first(self, most: int, most_bytes: int) -> list[MemoryItem] | None:
        turns, size = self._connection.execute(
            f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT t.size FROM turn t WHERE {self._in.where} LIMIT ?)",
            (*self._in.values, most + 1),
        ).get
        return table.find(self._connection, self._in) if turns <= most and size <= most_bytes else None

    def ranked(self, text: str, limit: int) -> list[Hit]:
        plan = keyword.plan(self._connection, table.sought(text), INDEX)
        scores = keyword.search(self._connection, plan, self._in, limit)
        items = table.at(self._connection, scores)
        before = self._neighbours(_BEFORE.format(self._beside), self._beside_values, list(items))
        best = sorted(scores, key=lambda row: (-scores[row], -row))[:limit]
        return [Hit(items[row], scores[row], before.get(row)) for row in best]

    def around(self, ids: Sequence[str]) -> Mapping[str, tuple[MemoryItem | None, MemoryItem | None]]:
        asked = orjson.dumps(list(ids)).decode()
        rows = self._connection.execute(
            f"""SELECT t.id, {_BEFORE.format(self._beside)}, {_AFTER.format(self._beside)}
                FROM turn t WHERE t.id IN (SELECT value FROM json_each(?))""",
            (*self._beside_values, *self._beside_values, asked),
        )
        found = {str(id): (before, after) for id, before, after in rows}
        items = table.at(
            self._connection, {row for pair in found.values() for row in pair if row is not None}
        )
        return {id: (items.get(one or 0), items.get(other or 0)) for id, (one, other) in found.items()}

    def marked(self, phrases: Sequence[str], limit: int) -> list[MemoryItem]:
        match = " OR ".join(f'"{phrase}"' for phrase in map(_phrase, phrases) if phrase)
        if not match:
            return []
        rows = self._connection.execute(
            f"""SELECT turn_fts.rowid FROM turn_fts {INDEX.joined} WHERE turn_fts MATCH ? AND t.role = 'user'
                AND {self._in.where} ORDER BY turn_fts.rowid DESC LIMIT ?""",
            (match, *self._in.values, limit),
        )
        items = table.at(self._connection, [driver.number(row) for (row,) in rows])
        return sorted(items.values(), key=lambda one: (one.created_at, one.seq), reverse=True)

    def spread(self, most: int) -> list[MemoryItem]:
        query = f"SELECT t.seq FROM turn t WHERE {self._in.where} ORDER BY t.at_us, t.seq"
        rows = [driver.number(row) for (row,) in self._connection.execute(query, tuple(self._in.values))]
        if len(rows) > most:
            step = (len(rows) - 1) / max(1, most - 1)
            rows = [rows[round(n * step)] for n in range(most)]
        items = table.at(self._connection, rows)
        return [items[row] for row in rows]

    def listed(self, most: int) -> list[MemoryItem] | None:
        if self._count(self._all.where, self._all.values) > most:
            return None
        return table.find(self._connection, self._all, table.COLUMNS.format(text="''"))

    def counts(self) -> tuple[int, int]:
        inside = self._count(self._in.where, self._in.values)
        return inside, self._count(self._all.where, self._all.values) - inside

    def _count(self, where: str, values: Sequence[Value]) -> int:
        query = f"SELECT count(*) FROM turn t WHERE {where}"
        return driver.number(self._connection.execute(query, tuple(values)).get)

    def _neighbours(self, beside: str, values: Sequence[Value], rows: Sequence[int]) -> dict[int, int]:
        """The row beside each of these rows."""
        query = f"SELECT t.seq, {beside} FROM turn t WHERE t.seq IN ({','.join(map(str, rows))})"
        found = self._connection.execute(query, tuple(values))
        return {driver.number(row): driver.number(other) for row, other in found if other is not None}


def _phrase(text: str) -> str:
    """A phrase's words with nothing in them that a match expression would read."""
    return " ".join(cjk.sought(text).replace('"', " ").split())
