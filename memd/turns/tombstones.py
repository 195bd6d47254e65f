"""Tombstones: what was forgotten, by identity, so that no import brings it back.

A tombstone is a hash of an id and holds no text. Turns have them, and sessions whose title told of a forgotten turn:
they get no title any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memd.db.driver import Connection
from memd.ids import derive


def of_turn(turn_id: str) -> bytes:
    """The tombstone of a turn."""
    return bytes.fromhex(derive("turn", turn_id))


def of_title(session: str) -> bytes:
    """The tombstone of a session's titles."""
    return bytes.fromhex(derive("title", session))


def lay(connection: Connection, keys: Iterable[bytes]) -> None:
    """Keep these from coming back."""
    connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?)", ((key,) for key in keys))


def forgotten(connection: Connection, turns: Sequence[str]) -> set[str]:
    """Of these turns, by id, those that were forgotten. Where nothing ever was, this costs next to nothing."""
    if connection.execute("SELECT 1 FROM tombstone LIMIT 1").get is None:
        return set()
    keys = {of_turn(turn): turn for turn in turns}
    listed = ",".join(f"x'{key.hex()}'" for key in keys)
    return {keys[key] for (key,) in connection.execute(f"SELECT key FROM tombstone WHERE key IN ({listed})")}


def all_of(connection: Connection) -> set[bytes]:
    """Every tombstone there is."""
    return {key for (key,) in connection.execute("SELECT key FROM tombstone")}


def is_untitled(connection: Connection, session: str) -> bool:
    """True of a session that gets no title any more."""
    found = connection.execute("SELECT 1 FROM tombstone WHERE key = ?", (of_title(session),)).get
    return found is not None
