"""How much a scope holds, read from its days in UTC: a row each for user, agent and run, kept by the table's triggers.

A time window cuts days in two; those are counted from their turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from memd.turns.store import Extent, Scope
from memd.turns.stores.postgres import table
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.table import Condition

_DAY = timedelta(days=1)
_END = datetime.max.replace(tzinfo=UTC)
_MIDNIGHT = "(d.day::timestamp AT TIME ZONE 'UTC')"
_WHOLE = """SELECT t.thread, t.day, t.user_id, t.agent_id, t.run_id, t.turns, t.size
  FROM "{table}_day" t WHERE {where}"""
_PARTS = """SELECT t.thread, (t.created_at AT TIME ZONE 'UTC')::date AS day, t.user_id, t.agent_id, t.run_id,
    count(*) AS turns, sum(t.size) AS size
  FROM "{table}" t WHERE {where} GROUP BY 1, 2, 3, 4, 5"""
# Where no run is named, the first and the last turn of each day; of a run, any of its days.
_EXTENT = """SELECT d.user_id, d.agent_id, d.run_id, sum(d.turns)::bigint, sum(d.size)::bigint, min(d.day),
    min(CASE WHEN d.run_id IS NULL THEN (SELECT min(t.created_at) {turns}) END),
    max(CASE WHEN d.run_id IS NULL THEN (SELECT max(t.created_at) {turns}) END)
  FROM ({days}) d GROUP BY d.user_id, d.agent_id, d.run_id, CASE WHEN d.run_id IS NULL THEN d.day END"""
_TURNS = f"""FROM "{{table}}" t WHERE t.thread = d.thread AND t.created_at >= {_MIDNIGHT}
    AND t.created_at < {_MIDNIGHT} + interval '24 hours' {{window}}"""
_SPREAD = """SELECT (SELECT t.seq FROM "{table}" t WHERE {where}
      AND t.created_at >= p.at AND t.created_at < p.at + interval '24 hours'
    ORDER BY t.created_at, t.seq OFFSET p.behind LIMIT 1)
  FROM unnest(%s::timestamptz[], %s::integer[]) WITH ORDINALITY AS p(at, behind, place) ORDER BY p.place"""


class Days:
    """The days of a scope and time window."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        scope: Scope,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> None:
        self._connection, self._name = connection, name
        self._in = table.condition(scope, since, until)
        self._window = table.window(since, until)
        self._days = _union(name, table.condition(scope), since, until)

    def turns(self) -> int:
        """How many turns there are."""
        ((count,),) = self._run(
            f"SELECT coalesce(sum(d.turns), 0)::bigint FROM ({self._days.where}) d", self._days.values
        )
        return table.number(count)

    def extent(self) -> Extent:
        """How many turns and bytes there are, and in which sessions."""
        window = "".join(f" AND {clause}" for clause, _ in self._window)
        query = _EXTENT.format(turns=_TURNS.format(table=self._name, window=window), days=self._days.where)
        beside = [at for _, at in self._window]
        turns = size = 0
        sessions: list[tuple[str | None, str | None, str | None, datetime]] = []
        for user, agent, run_id, count, bytes_, day, first, last in self._run(
            query, [*beside, *beside, *self._days.values]
        ):
            turns, size = turns + table.number(count), size + table.number(bytes_)
            ids = (table.name(user), table.name(agent), table.name(run_id))
            moments = [one for one in (first, last) if isinstance(one, datetime)]
            sessions += [(*ids, moment) for moment in moments or [_midnight(day)]]
        return Extent(turns, size, sessions)

    def spread(self, most: int) -> list[int]:
        """The rows of at most so many turns, evenly over all."""
        query = f"SELECT d.day, sum(d.turns)::integer FROM ({self._days.where}) d GROUP BY 1 ORDER BY 1"
        days = [(_midnight(day), table.number(count)) for day, count in self._run(query, self._days.values)]
        places = list(_places(days, most))
        query = _SPREAD.format(table=self._name, where=self._in.where)
        rows = self._run(
            query, [*self._in.values, [at for at, _ in places], [behind for _, behind in places]]
        )
        return [table.number(row) for (row,) in rows]

    def _run(self, query: str, values: Sequence[object]) -> list[Row]:
        return run(self._connection, query, values).fetchall()


def _union(name: str, scope: Condition, since: datetime | None, until: datetime | None) -> Condition:
    """The whole days of a window by their rows, what is left of the others by its turns."""
    start = None if since is None else _next_midnight(since)
    end = None if until is None else _midnight(until.astimezone(UTC).date())
    if start is not None and end is not None and start >= end:
        return _part(_PARTS, name, scope, table.window(since, until))
    whole = [(clause, at.date()) for clause, at in (("t.day >= %s", start), ("t.day < %s", end)) if at]
    parts = [_part(_WHOLE, name, scope, whole)]
    if since is not None and since != start:
        parts.append(_part(_PARTS, name, scope, table.window(since, start)))
    if until is not None and until != end:
        parts.append(_part(_PARTS, name, scope, table.window(end, until)))
    return Condition(
        " UNION ALL ".join(part.where for part in parts), [value for part in parts for value in part.values]
    )


def _part(query: str, name: str, scope: Condition, window: Sequence[tuple[str, date]]) -> Condition:
    where = " AND ".join([scope.where, *(clause for clause, _ in window)])
    return Condition(query.format(table=name, where=where), [*scope.values, *(at for _, at in window)])


def _places(days: Sequence[tuple[datetime, int]], most: int) -> Iterator[tuple[datetime, int]]:
    """Evenly chosen turns: the day of each, and how many of the day stand before it."""
    turns = sum(count for _, count in days)
    step = max(1.0, (turns - 1) / max(1, most - 1))
    wanted = [round(n * step) for n in range(min(most, turns))]
    before = 0
    for day, count in days:
        yield from ((day, one - before) for one in wanted if before <= one < before + count)
        before += count


def _next_midnight(moment: datetime) -> datetime:
    """The first midnight that is not before this."""
    midnight = _midnight(moment.astimezone(UTC).date())
    return midnight if midnight == moment else midnight + min(_DAY, _END - midnight)


def _midnight(day: object) -> datetime:
    assert isinstance(day, date)
    return datetime.combine(day, time(), UTC)
