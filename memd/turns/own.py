"""Turns that are this machine's own, with their sessions and vectors: what may be told to a shared store. SQL alone.

What was heard from a store is not; that is told by whom it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

from memd.db import driver
from memd.db.driver import Connection, Row, Value
from memd.turns import tombstones
from memd.turns.sharing import OWN

_ASKED = "(SELECT value FROM json_each(?))"
_STATE = (
    "t.id, t.session_id, c.key, t.seq, t.role, t.claim, t.hidden, t.at_ms, t.sort_ms, t.agent_id, t.branch"
)
_FROM = "FROM turn t CROSS JOIN content c ON c.id = t.content_id CROSS JOIN session s ON s.id = t.session_id"
_TURN = f"SELECT t.rowid, s.key, t.user_id, c.text, t.timestamp, t.uuid, t.message_id, c.id, {_STATE} {_FROM}"


Speaker = tuple[str, str | None]
"""A session's key, and a user who has turns of this machine in it; None where nobody said who."""


class OwnTurn(NamedTuple):
    """A turn as it stands here. ``user`` is None where nobody said whose it is.

    ``state`` is another one once any of it has changed that others are told.
    """

    row: int
    session: str
    user: str | None
    text: str
    timestamp: str | None
    uuid: str | None
    message_id: str | None
    content: int
    id: str
    seq: int
    role: str
    claim: int
    hidden: bool
    at_ms: int | None
    sort_ms: int | None
    agent_id: str | None
    branch: str | None
    state: Row


class OwnSession(NamedTuple):
    """A session as it stands here. ``user`` and ``agent`` are of who described it; None where nobody else did.

    ``untitled``: it has no title any more. ``project`` is its name, its path and from what that is known.
    """

    key: str
    user: str | None
    agent: str | None
    format: str
    title: str | None
    cwd: str | None
    branch: str | None
    continues: str | None
    untitled: bool
    project: tuple[str, str, str] | None


class OwnVectors(NamedTuple):
    """The windows of a text, each with the signs of its tokens, and the turns that say it, each with its session."""

    text: str
    turns: Sequence[tuple[str, str]]
    windows: Sequence[tuple[bytes, bytes]]


def behind(connection: Connection, row: int, most: int) -> list[OwnTurn]:
    """The turns behind a row, so many at most."""
    return _turns(connection, f"t.rowid > ? AND {OWN} ORDER BY t.rowid LIMIT ?", (row, most))


def named(connection: Connection, ids: Sequence[str]) -> list[OwnTurn]:
    """The turns with these ids."""
    return _turns(connection, f"t.id IN {_ASKED} AND {OWN}", (_list(ids),))


def _turns(connection: Connection, which: str, values: Sequence[Value]) -> list[OwnTurn]:
    return [_turn(row) for row in connection.execute(f"{_TURN} WHERE {which}", values).fetchall()]


def _turn(row: Row) -> OwnTurn:
    place, session, user, text, timestamp, uuid, message, content = row[:8]
    id, _, _, seq, role, claim, hidden, at_ms, sort_ms, agent, branch = row[8:]
    return OwnTurn(
        driver.number(place),
        str(session),
        _text(user),
        str(text),
        _text(timestamp),
        _text(uuid),
        _text(message),
        driver.number(content),
        str(id),
        driver.number(seq),
        str(role),
        driver.number(claim),
        bool(hidden),
        None if at_ms is None else driver.number(at_ms),
        None if sort_ms is None else driver.number(sort_ms),
        _text(agent),
        _text(branch),
        row[8:],
    )


def states(connection: Connection, rows: Sequence[int]) -> dict[int, Row]:
    """The states of the turns in these rows."""
    found = connection.execute(f"SELECT t.rowid, {_STATE} {_FROM} WHERE t.rowid IN {_ASKED}", (_list(rows),))
    return {driver.number(row): tuple(state) for row, *state in found}


def count_behind(connection: Connection, row: int) -> int:
    """How many turns there are behind a row."""
    found = connection.execute(f"SELECT count(*) FROM turn t WHERE t.rowid > ? AND {OWN}", (row,))
    return driver.number(found.get)


def speakers(connection: Connection, sessions: Sequence[str]) -> set[Speaker]:
    """Of these sessions those that hold turns of this machine, each with the users whose these are."""
    rows = connection.execute(
        f"""SELECT DISTINCT s.key, t.user_id FROM session s CROSS JOIN turn t ON t.session_id = s.id
            WHERE s.key IN {_ASKED} AND {OWN}""",
        (_list(sessions),),
    )
    return {(str(key), _text(user)) for key, user in rows}


def sessions(connection: Connection, keys: Iterable[str]) -> dict[str, OwnSession]:
    """These sessions, by key."""
    rows = connection.execute(
        f"""SELECT s.key, s.user_id, s.agent_id, s.format, s.title, s.cwd, s.branch, s.continues,
              p.name, p.path, p.origin FROM session s LEFT JOIN project p ON p.id = s.project_id
            WHERE s.key IN {_ASKED}""",
        (_list(sorted(keys)),),
    ).fetchall()
    return {str(row[0]): _session(connection, row) for row in rows}


def _session(connection: Connection, row: Row) -> OwnSession:
    key, user, agent, format_, title, cwd, branch, continues, name, path, origin = row
    return OwnSession(
        str(key),
        _text(user),
        _text(agent),
        str(format_),
        _text(title),
        _text(cwd),
        _text(branch),
        _text(continues),
        tombstones.is_untitled(connection, str(key)),
        None if path is None else (str(name), str(path), str(origin)),
    )


def vectors(connection: Connection, space: int, contents: Sequence[int], last: int) -> list[OwnVectors]:
    """Of these texts those that have vectors in a space, with the turns up to a row that say them."""
    windows: dict[int, list[tuple[bytes, bytes]]] = {}
    for content, embedding, signs in connection.execute(
        f"""SELECT v.content_id, v.embedding, coalesce(s.signs, x'') FROM vector v
              LEFT JOIN token_signs s ON s.vector_id = v.id
            WHERE v.content_id IN {_ASKED} AND +v.space_id = ? ORDER BY v.content_id, v.part""",
        (_list(contents), space),
    ):
        windows.setdefault(driver.number(content), []).append((driver.blob(embedding), driver.blob(signs)))
    said: dict[int, list[tuple[str, str]]] = {}
    texts: dict[int, str] = {}
    for content, turn, session, text in connection.execute(
        f"""SELECT c.id, t.id, s.key, c.text FROM content c CROSS JOIN turn t ON t.content_id = c.id
              CROSS JOIN session s ON s.id = t.session_id
            WHERE c.id IN {_ASKED} AND t.rowid <= ? AND {OWN}""",
        (_list(list(windows)), last),
    ):
        said.setdefault(driver.number(content), []).append((str(turn), str(session)))
        texts[driver.number(content)] = str(text)
    return [OwnVectors(texts[content], turns, windows[content]) for content, turns in said.items()]


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _list(values: Sequence[int] | Sequence[str]) -> str:
    return orjson.dumps(values).decode()
