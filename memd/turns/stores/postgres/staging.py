"""What is told, brought to the server into tables of this transaction alone, where it waits to be put in.

However slow the line, nobody waits for it, for nothing that others read or write is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memd.turns import tombstones
from memd.turns.shared import SharedTurn, SharedVectors
from memd.turns.store import MemoryItem
from memd.turns.stores.postgres import sessions, table
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.table import moment

NEW, CHANGED, VECTOR = (
    '"new turn"',
    '"changed turn"',
    '"new vector"',
)  # no table of turns has a name with a space
_TURNS = f"""CREATE TEMP TABLE {{stage}} ON COMMIT DROP AS
  SELECT 0 AS place, ''::bytea AS key, {table.COPIED} FROM "{{name}}" WITH NO DATA"""
_VECTORS = f"""CREATE TEMP TABLE {VECTOR} (
  place integer, id text, space text, part integer, embedding bytea, signs bytea) ON COMMIT DROP"""


def turns(connection: Connection, name: str, stage: str, told: Sequence[SharedTurn]) -> None:
    """Bring turns, each with its place among them and its tombstone."""
    if not told:
        return
    run(connection, _TURNS.format(stage=stage, name=name), None)
    _copy(
        connection,
        f"{stage} (place, key, {table.COPIED})",
        ((place, tombstones.of_turn(one.id), *table.values(item(one))) for place, one in enumerate(told)),
    )


def vectors(connection: Connection, told: Sequence[SharedVectors]) -> None:
    """Bring vectors; those of a turn share a place."""
    if told:
        run(connection, _VECTORS, None)
        _copy(connection, f"{VECTOR} (place, id, space, part, embedding, signs)", _windows(told))


def item(turn: SharedTurn) -> MemoryItem:
    """A turn as the table holds it: its session is the run, and its facts are the metadata."""
    return MemoryItem(
        id=turn.id,
        role=turn.role,
        content=turn.text,
        created_at=moment(turn.at_us),
        user_id=turn.user,
        agent_id=turn.agent,
        run_id=sessions.key(turn.session),
        metadata=sessions.plain(turn.facts),
    )


def _windows(told: Sequence[SharedVectors]) -> Iterator[Row]:
    for place, one in enumerate(told):
        for part, (embedding, signs) in enumerate(one.windows):
            yield place, one.turn, one.space, part, embedding, signs


def _copy(connection: Connection, stage: str, rows: Iterable[Row]) -> None:
    with connection.cursor().copy(f"COPY {stage} FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row(row)
