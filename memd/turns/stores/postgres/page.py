"""A page of what was told to a shared table of turns, between where a reader stands and the horizons of the feeds.

Sessions are read to their horizon before any turn is, so none is missing for one. A turn is read with the vectors that
it has by then; changes and vectors of turns that are still to be read need no reading of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memd.turns import tombstones
from memd.turns.shared import Heard, SharedTurn, SharedVectors, Whose
from memd.turns.store import MemoryItem
from memd.turns.stores.postgres import sessions, table
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.table import microseconds

MOST_BYTES = 4_000_000  # of texts and vectors of a feed at once, unless one turn alone has more
MOST_FORGOTTEN = 10_000
WINDOW = 5_000  # numbers that are looked through at once, however few of them concern who reads

_SESSIONS = f"""SELECT t.seq, {sessions.COLUMNS} FROM "{{name}}_session" t
  WHERE t.seq > %(start)s AND t.seq <= %(end)s {{scope}} ORDER BY t.seq LIMIT %(most)s"""
_WEIGHT = """t.size + (SELECT coalesce(sum(octet_length(v.embedding) + octet_length(v.signs)), 0)::bigint
  FROM "{name}_vector" v WHERE v.turn = t.seq AND v.space = %(space)s)"""
_TURNS = f"""SELECT t.seq, t.seq, {_WEIGHT} FROM "{{name}}" t
  WHERE t.seq > %(start)s AND t.seq <= %(end)s {{scope}} ORDER BY t.seq LIMIT %(most)s"""
_CHANGED = f"""SELECT c.seq, t.seq, {_WEIGHT} FROM "{{name}}_changed" c JOIN "{{name}}" t ON t.seq = c.turn
  WHERE c.seq > %(start)s AND c.seq <= %(end)s AND c.turn <= %(read)s {{scope}} ORDER BY c.seq LIMIT %(most)s"""
_LATER = """SELECT v.seq, t.seq, octet_length(v.embedding) + octet_length(v.signs)
  FROM "{name}_vector" v JOIN "{name}" t ON t.seq = v.turn
  WHERE v.seq > %(start)s AND v.seq <= %(end)s AND v.turn <= %(read)s AND v.space = %(space)s {scope}
  ORDER BY v.seq LIMIT %(most)s"""
_VECTORS = """SELECT t.id, v.embedding, v.signs FROM "{name}_vector" v JOIN "{name}" t ON t.seq = v.turn
  WHERE v.turn = ANY(%(rows)s) AND v.space = %(space)s ORDER BY v.turn, v.part"""
_FORGOTTEN = """SELECT f.seq, f.key FROM "{name}_forgotten" f
  WHERE f.seq > %(start)s AND f.seq <= %(end)s ORDER BY f.seq LIMIT %(most)s"""
_GONE = 'SELECT f.key FROM "{name}_forgotten" f WHERE f.key = ANY(%(keys)s)'


class Asked(NamedTuple):
    """Whose turns are asked for, the vectors of which space, and about how many turns at once."""

    whose: Whose
    space: str | None
    most: int


class Page:
    """What comes next for a reader who stands ``at`` these numbers, on a connection in one snapshot."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        asked: Asked,
        at: Mapping[str, int],
        horizon: Mapping[str, int],
    ) -> None:
        self._connection, self._name, self._asked = connection, name, asked
        self._at, self._horizon, self._read_to = dict(at), horizon, at["turn"]
        if not self._read_to:  # who has read no turn has missed no news of one
            self._at |= {feed: horizon[feed] for feed in ("changed", "vector")}
        self._scope = _scope(asked.whose)

    def read(self, restarted: bool) -> Heard:
        """The page, and the mark behind it."""
        described = [sessions.session(row) for _, *row in self._next("session", _SESSIONS, self._asked.most)]
        rows, later = self._rows() if self._at["session"] >= self._horizon["session"] else ([], [])
        turns = self._turns(rows)
        vectors = self._vectors([*rows, *later])
        forgotten = [key for _, key in self._next("forgotten", _FORGOTTEN, MOST_FORGOTTEN)]
        return Heard(
            mark=self._at | {name: self._horizon[name] for name in ("told", "sign")},
            sessions=described,
            turns=turns,
            vectors=vectors,
            forgotten=[key for key in forgotten if isinstance(key, bytes)],
            more=any(self._at[feed] < self._horizon[feed] for feed in self._at),
            restarted=restarted,
        )

    def _rows(self) -> tuple[list[int], list[int]]:
        """The rows of turns that are new or were changed, and of those that only got vectors since they were read."""
        most = self._asked.most
        rows = self._light("turn", _TURNS, most)
        if len(rows) < most:
            rows += self._light("changed", _CHANGED, most - len(rows))
        return list(dict.fromkeys(rows)), list(dict.fromkeys(self._light("vector", _LATER, most)))

    def _light(self, feed: str, query: str, most: int) -> list[int]:
        """The next rows of a feed that are not too much for one page."""
        taken: list[int] = []
        weight = 0
        before = self._at[feed]
        for seq, row, size in self._next(feed, query, most):
            weight += table.number(size)
            if taken and weight > MOST_BYTES:
                self._at[feed] = before
                break
            taken.append(table.number(row))
            before = table.number(seq)
        return taken

    def _next(self, feed: str, query: str, most: int) -> list[Row]:
        """The next rows of a feed; the reader stands behind them then."""
        start, horizon = self._at[feed], self._horizon[feed]
        if start >= horizon:
            return []
        end = min(horizon, start + WINDOW)
        rows = self._run(query, start=start, end=end, most=most, read=self._read_to)
        self._at[feed] = table.number(rows[-1][0]) if len(rows) == most else end
        return rows

    def _turns(self, rows: Sequence[int]) -> list[SharedTurn]:
        """The turns of these rows, in their order; none that was forgotten and came back by another way."""
        found = table.at(self._connection, self._name, rows) if rows else {}
        keys = {tombstones.of_turn(one.id): row for row, one in found.items()}
        gone = (
            {keys[key] for (key,) in self._run(_GONE, keys=list(keys)) if isinstance(key, bytes)}
            if keys
            else ()
        )
        return [_turn(found[row]) for row in rows if row in found and row not in gone]

    def _vectors(self, rows: Sequence[int]) -> list[SharedVectors]:
        windows: dict[str, list[tuple[bytes, bytes]]] = {}
        if rows and self._asked.space is not None:
            for id, embedding, signs in self._run(_VECTORS, rows=list(rows)):
                assert isinstance(embedding, bytes) and isinstance(signs, bytes)
                windows.setdefault(str(id), []).append((embedding, signs))
        return [SharedVectors(id, self._asked.space or "", told) for id, told in windows.items()]

    def _run(self, query: str, **values: object) -> list[Row]:
        whose = self._asked.whose
        users = None if whose.users is None else list(whose.users)
        given = values | {"users": users, "agent": whose.agent, "space": self._asked.space}
        return run(self._connection, query.format(name=self._name, scope=self._scope), given).fetchall()


def _scope(whose: Whose) -> str:
    users = "" if whose.users is None else "AND t.user_id = ANY(%(users)s)"
    return users if whose.agent is None else f"{users} AND t.agent_id = %(agent)s"


def _turn(one: MemoryItem) -> SharedTurn:
    return SharedTurn(
        id=one.id,
        session=one.run_id or "",
        role=one.role,
        text=one.content,
        at_us=microseconds(one.created_at),
        user=one.user_id or "",
        agent=one.agent_id,
        facts=one.metadata,  # type: ignore[arg-type]  # as they were told
    )
