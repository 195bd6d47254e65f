"""The SQL behind recall: the turns of a scope as it needs them, each question answered by an index.

A scope is a search's ``Question``: the same filters mean the same turns. Only ``counts`` looks at all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import orjson

from memd.db import driver
from memd.db.driver import Connection, Value
from memd.db.keyword import Filter
from memd.turns import search
from memd.turns.search import Question

SAMPLED_SESSIONS = 8
SAMPLED_TURNS = 16  # of each
MEASURED_TURNS = 2_000  # of a scope with no more, each text is measured
OPENING_TURNS = 4  # of each session that a summary looks at, at first
LAST_SEQ = 2**63 - 1
CUT = 1_300  # characters of a text that a summary reads


class Row(NamedTuple):
    """A turn as recall reads it."""

    id: str
    role: str
    text: str
    session: str
    seq: int
    at_ms: int | None
    sort_ms: int
    project: str | None
    agent: str | None


@dataclass(frozen=True, slots=True)
class Size:
    """Turns, sessions and bytes of a scope; estimated where it is large."""

    turns: int
    sessions: int
    bytes: int
    exact: bool


_COLUMNS = """t.id, t.role, {text}, s.key, t.seq, t.at_ms, coalesce(t.sort_ms, 0), p.path, t.agent_id"""
_JOINED = """FROM turn t JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
  LEFT JOIN project p ON p.id = s.project_id"""
_TURN = f"SELECT {_COLUMNS.format(text='c.text')} {_JOINED}"


def size(connection: Connection, question: Question) -> Size:
    """How much there is to recall from."""
    where = search.condition(question)
    if _count(connection, where, MEASURED_TURNS + 1) <= MEASURED_TURNS:
        few = _sizes(connection, where, MEASURED_TURNS)
        return Size(len(few), len({session for session, _ in few}), sum(size for _, size in few), True)
    sessions = _sessions(connection, question)
    turns = sum(turns for _, turns in sessions)
    chosen = [session for session, _ in _evenly(sessions, SAMPLED_SESSIONS)]
    sampled = [size for session in chosen for size in _some_sizes(connection, where, session)]
    return Size(turns, len(sessions), turns * sum(sampled) // max(1, len(sampled)), False)


def _count(connection: Connection, where: Filter, most: int) -> int:
    """How many turns there are, up to ``most``."""
    query = f"""SELECT count(*) FROM (SELECT 1 FROM turn t JOIN session s ON s.id = t.session_id
                WHERE {where.where} LIMIT ?)"""
    return driver.number(connection.execute(query, (*where.values, most)).get)


def _sizes(connection: Connection, where: Filter, most: int) -> list[tuple[int, int]]:
    """Session and bytes of at most so many turns."""
    rows = connection.execute(
        f"""SELECT t.session_id, octet_length(c.text) FROM turn t JOIN content c ON c.id = t.content_id
            JOIN session s ON s.id = t.session_id WHERE {where.where} LIMIT ?""",
        (*where.values, most),
    )
    return [(driver.number(session), driver.number(size)) for session, size in rows]


def _some_sizes(connection: Connection, where: Filter, session: int) -> list[int]:
    found = replace(where, where=f"t.session_id = ? AND {where.where}", values=[session, *where.values])
    return [size for _, size in _sizes(connection, found, SAMPLED_TURNS)]


def _sessions(connection: Connection, question: Question) -> list[tuple[int, int]]:
    """The scope's sessions that overlap its time, oldest first, each with its number of turns."""
    parts, values = ["turns > 0"], list[Value]()
    if question.project_ids is not None:
        parts.append(f"project_id IN ({','.join('?' * len(question.project_ids))})")
        values.extend(question.project_ids)
    for clause, value in (
        ("key = ?", question.session),
        ("last_ms >= ?", question.since_ms),
        ("started_ms < ?", question.until_ms),
    ):
        if value is not None:
            parts.append(clause)
            values.append(value)
    rows = connection.execute(
        f"SELECT id, turns FROM session WHERE {' AND '.join(parts)} ORDER BY started_ms, id", tuple(values)
    )
    return [(driver.number(id), driver.number(turns)) for id, turns in rows]


def _evenly(found: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """At most so many, evenly over all, the first and the last among them."""
    if len(found) <= most:
        return list(found)
    places = {round(n * (len(found) - 1) / (most - 1)) for n in range(most)}
    return [found[place] for place in sorted(places)]


def whole(connection: Connection, question: Question, most_turns: int, most_bytes: int) -> list[Row] | None:
    """Every turn; None where there are more."""
    where = search.condition(question)
    if _count(connection, where, most_turns + 1) > most_turns:
        return None
    if sum(size for _, size in _sizes(connection, where, most_turns)) > most_bytes:
        return None
    return _rows(connection, f"{_TURN} WHERE {where.where}", where.values)


def listed(connection: Connection, question: Question, most: int) -> list[Row] | None:
    """Every turn of the scope whatever its time, without its text; None where there are more."""
    where = search.condition(replace(question, since_ms=None, until_ms=None))
    query = f"SELECT {_COLUMNS.format(text=repr(''))} {_JOINED} WHERE {where.where} LIMIT ?"
    rows = _rows(connection, query, [*where.values, most + 1])
    return rows if len(rows) <= most else None


def counts(connection: Connection, question: Question) -> tuple[int, int]:
    """How many turns of the scope lie in its time, and how many outside, by looking at each."""
    where = search.condition(replace(question, since_ms=None, until_ms=None))
    inside = search.condition(question)
    count = "SELECT count(*) FROM turn t JOIN session s ON s.id = t.session_id WHERE "
    n = driver.number(connection.execute(count + inside.where, tuple(inside.values)).get)
    return n, driver.number(connection.execute(count + where.where, tuple(where.values)).get) - n


def at(connection: Connection, places: Sequence[int]) -> dict[int, Row]:
    """The turns at these rows."""
    query = f"SELECT t.rowid, {_COLUMNS.format(text='c.text')} {_JOINED} WHERE t.rowid IN ({_list(places)})"
    return {driver.number(place): Row(*rest) for place, *rest in connection.execute(query)}


def around(
    connection: Connection, question: Question, ids: Sequence[str]
) -> Mapping[str, tuple[Row | None, Row | None]]:
    """The turn before and the turn after each of these in its session, where the scope holds them."""
    where = search.condition(question)
    beside = f"""(SELECT t.rowid FROM turn t JOIN session s ON s.id = t.session_id
                  WHERE t.session_id = asked.session_id AND t.seq {{}} asked.seq AND {where.where}
                  ORDER BY t.seq {{}} LIMIT 1)"""
    asked = connection.execute(
        f"""SELECT asked.id, {beside.format("<", "DESC")}, {beside.format(">", "ASC")}
            FROM turn asked WHERE asked.id IN (SELECT value FROM json_each(?))""",
        (*where.values, *where.values, orjson.dumps(list(ids)).decode()),
    )
    found = {str(id): (before, after) for id, before, after in asked}
    rows = at(
        connection, [driver.number(place) for pair in found.values() for place in pair if place is not None]
    )
    return {id: (rows.get(one or 0), rows.get(other or 0)) for id, (one, other) in found.items()}


def partners(connection: Connection, question: Question, places: Sequence[int]) -> dict[int, int]:
    """Of the turns at these rows the other half of their exchanges, where the scope holds it.

    That is the last reply to what the user said, and what the user said before a reply.
    """
    where = search.condition(question)
    other = f"""SELECT t.rowid FROM turn t JOIN session s ON s.id = t.session_id
                WHERE t.session_id = asked.session_id AND {where.where}"""
    rows = connection.execute(
        f"""SELECT asked.rowid, CASE asked.role
              WHEN 'user' THEN ({other} AND t.role = 'assistant' AND t.seq > asked.seq AND t.seq < coalesce(
                (SELECT n.seq FROM turn n WHERE n.session_id = asked.session_id AND n.seq > asked.seq
                 AND n.role = 'user' AND n.agent_id IS NULL AND n.hidden = 0 ORDER BY n.seq LIMIT 1), {LAST_SEQ})
                ORDER BY t.seq DESC LIMIT 1)
              WHEN 'assistant' THEN ({other} AND t.role = 'user' AND t.seq < asked.seq
                ORDER BY t.seq DESC LIMIT 1) END
            FROM turn asked WHERE asked.rowid IN ({_list(places)})""",
        (*where.values, *where.values),
    )
    return {driver.number(place): driver.number(found) for place, found in rows if found is not None}


def last_project(connection: Connection) -> int | None:
    """The project of the session that was spoken in last; None where it has none."""
    found = connection.execute(
        "SELECT project_id FROM session WHERE turns > 0 ORDER BY last_ms DESC, id DESC LIMIT 1"
    ).get
    return None if found is None else driver.number(found)


def spread(connection: Connection, question: Question, most: int) -> list[Row]:
    """At most so many turns over the scope's sessions: their first ones, early and late sessions alike."""
    where = search.condition(question)
    sessions = _sessions(connection, question)
    each = max(OPENING_TURNS, most // max(1, len(sessions)))
    if sum(turns for _, turns in sessions) <= most:
        each = most
    rows: list[Row] = []
    text = f"substr(c.text, 1, {CUT})"
    for session, _ in _evenly(sessions, max(1, most // OPENING_TURNS)):
        query = f"""SELECT {_COLUMNS.format(text=text)} {_JOINED}
                    WHERE t.session_id = ? AND {where.where} ORDER BY t.seq LIMIT ?"""
        rows += _rows(connection, query, [session, *where.values, each])
    return rows[:most]


def _rows(connection: Connection, query: str, values: Iterable[Value]) -> list[Row]:
    return [Row(*row) for row in connection.execute(query, tuple(values))]


def _list(numbers: Iterable[int]) -> str:
    return ",".join(str(int(number)) for number in numbers)
