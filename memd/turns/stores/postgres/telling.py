"""Telling a shared table of turns what is new: all of it or nothing.

What is told is first brought to the server (staging.py), then put in, and that by one machine at a time: machines that
tell the same in different orders cannot block each other, and what is looked up is still so when it is written. Whoever
loses the network in between is cut off by the server, and nobody waits for it for long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memd.turns import tombstones
from memd.turns.shared import SharedTurn, SharedVectors, Told
from memd.turns.stores.postgres import sessions, staging, table
from memd.turns.stores.postgres.driver import Connection, run

MOST, MOST_BYTES = 500, 4_000_000  # of turns that a statement puts in, lest it take longer than it may
IDLE = "15s"  # after which the server lets go of one who says nothing in the midst of telling

_BRINGING = "SET LOCAL idle_in_transaction_session_timeout = '{idle}'; SET LOCAL statement_timeout = '10min'"
_ALONE = """SET LOCAL statement_timeout = '10s'; SET LOCAL lock_timeout = '10s';
  SELECT pg_advisory_xact_lock(hashtext('memd telling {name}'))"""
_FORGET = """INSERT INTO "{name}_forgotten" (key) SELECT n.key FROM unnest(%s::bytea[]) AS n(key)
  WHERE NOT EXISTS (SELECT 1 FROM "{name}_forgotten" f WHERE f.key = n.key) ON CONFLICT DO NOTHING"""
_PLACES = "n.place >= %s AND n.place < %s"
_ADD = f"""INSERT INTO "{{name}}" ({table.COPIED}) SELECT {table.COPIED} FROM {staging.NEW} n
  WHERE {_PLACES} AND NOT EXISTS (SELECT 1 FROM "{{name}}" t WHERE t.id = n.id)
    AND NOT EXISTS (SELECT 1 FROM "{{name}}_forgotten" f WHERE f.key = n.key)
  ORDER BY n.place ON CONFLICT (id) DO NOTHING"""
_CHANGE = f"""UPDATE "{{name}}" t SET role = n.role, content = n.content, nuls = n.nuls, size = n.size,
    created_at = n.created_at, updated_at = now(), agent_id = n.agent_id, run_id = n.run_id, thread = n.thread,
    metadata = n.metadata, words = n.words
  FROM {staging.CHANGED} n WHERE {_PLACES} AND t.id = n.id AND t.user_id = n.user_id
    AND (t.role, t.content, t.nuls, t.created_at, t.thread, t.metadata::text)
      IS DISTINCT FROM (n.role, n.content, n.nuls, n.created_at, n.thread, n.metadata::text)"""
_ADD_VECTORS = f"""INSERT INTO "{{name}}_vector" (turn, space, part, embedding, signs)
  SELECT t.seq, n.space, n.part, n.embedding, n.signs FROM {staging.VECTOR} n JOIN "{{name}}" t ON t.id = n.id
  WHERE {_PLACES}
    AND NOT EXISTS (SELECT 1 FROM "{{name}}_vector" v WHERE v.turn = t.seq AND v.space = n.space)
  ORDER BY n.place, n.part FOR KEY SHARE OF t ON CONFLICT DO NOTHING"""
_EMBEDDED = """SELECT t.id, v.space FROM "{name}" t JOIN "{name}_vector" v ON v.turn = t.seq AND v.part = 0
  WHERE t.id = ANY(%s)"""


def publish(connection: Connection, name: str, told: Told) -> int:
    """Tell all of this or nothing; how many turns were new."""
    turns = _unknown(connection, name, told.turns)
    changed = list({(one.id, one.user): one for one in told.changed}.values())
    vectors = _unembedded(connection, name, told.vectors, {one.id for one in changed})
    if not (turns or changed or vectors or told.sessions or told.forgotten):
        return 0
    with connection.transaction():
        run(connection, _BRINGING.format(idle=IDLE), None)
        staging.turns(connection, name, staging.NEW, turns)
        staging.turns(connection, name, staging.CHANGED, changed)
        staging.vectors(connection, vectors)
        run(connection, _ALONE.format(name=name), None)
        _forget(connection, name, told.forgotten)
        new = _put(connection, _ADD.format(name=name), [len(one.text) for one in turns])
        _put(connection, _CHANGE.format(name=name), [len(one.text) for one in changed])
        sessions.describe(connection, name, told.sessions)
        _put(connection, _ADD_VECTORS.format(name=name), [sum(map(_size, one.windows)) for one in vectors])
    return new


def _unknown(connection: Connection, name: str, told: Sequence[SharedTurn]) -> list[SharedTurn]:
    """Turns that are not there yet: the others need not be brought."""
    by_id: dict[str, SharedTurn] = {}
    for one in told:
        by_id.setdefault(one.id, one)
    known = table.known(connection, name, list(by_id)) if by_id else set[str]()
    return [one for id, one in by_id.items() if id not in known]


def _unembedded(
    connection: Connection, name: str, told: Sequence[SharedVectors], changed: set[str]
) -> list[SharedVectors]:
    """Vectors that are not there yet, or of turns that may get another text."""
    by_key: dict[tuple[str, str], SharedVectors] = {}
    for one in told:
        if one.windows:
            by_key.setdefault((one.turn, one.space), one)
    ids = [turn for turn, _ in by_key if turn not in changed and "\0" not in turn]
    known = {(id, space) for id, space in run(connection, _EMBEDDED.format(name=name), [ids])} if ids else ()
    return [one for key, one in by_key.items() if key not in known]


def _forget(connection: Connection, name: str, ids: Sequence[str]) -> None:
    for some in _batches(ids):
        run(connection, _FORGET.format(name=name), [[tombstones.of_turn(id) for id in some]])
        gone = run(
            connection,
            f'DELETE FROM "{name}" WHERE id = ANY(%s) RETURNING run_id',
            [[id for id in some if "\0" not in id]],
        )
        sessions.untitle(connection, name, {str(key) for (key,) in gone if key is not None})


def _put(connection: Connection, statement: str, sizes: Sequence[int]) -> int:
    """Put in what was brought, some at a time; how many rows that were."""
    return sum(run(connection, statement, places).rowcount for places in _parts(sizes))


def _parts(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Places that are not too much for one statement: the first, and the one behind the last."""
    first = weight = 0
    for place, size in enumerate(sizes):
        if place > first and (place - first >= MOST or weight + size > MOST_BYTES):
            yield first, place
            first, weight = place, 0
        weight += size
    if sizes:
        yield first, len(sizes)


def _size(window: tuple[bytes, bytes]) -> int:
    return len(window[0]) + len(window[1])


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + MOST] for first in range(0, len(ids), MOST))
