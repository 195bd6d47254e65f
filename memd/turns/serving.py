"""Which vector space answers, and which one is being built to take its place. The SQL of it.

The one that serves goes on serving, new texts included, until the other has a vector for every text; then they change
places in one transaction. A space that is built anew for the same model stands beside the old one under another key.
"""

from __future__ import annotations

from dataclasses import dataclass

from memd.db.driver import Connection
from memd.db.vector_tables import TABLES
from memd.turns import spaces

ANEW = "#anew"
DROPPED_ROWS = 2_000  # in one transaction: others write between them


@dataclass(frozen=True, slots=True)
class Placed:
    """A space in its place. ``key`` names the model; ``instead_of`` is the setting that a reindex went against."""

    id: int
    key: str
    instead_of: str | None


def serving(connection: Connection) -> Placed | None:
    """The space that answers."""
    return _placed(connection, "serving")


def building(connection: Connection) -> Placed | None:
    """The space that is to take its place."""
    return _placed(connection, "building")


def _placed(connection: Connection, state: str) -> Placed | None:
    row = connection.execute(
        """SELECT id, key, instead_of FROM space WHERE state = ? AND retired_ms IS NULL ORDER BY id DESC LIMIT 1""",
        (state,),
    ).fetchone()
    return Placed(row[0], str(row[1]).removesuffix(ANEW), row[2]) if row else None


def settle(connection: Connection, setting: str, key: str, dim: int, now_ms: int, *, asked: bool) -> None:
    """Bring the places in line with the embedder that is configured, whose space is ``key``.

    The first space ever serves at once. Later a changed setting begins a space beside it; what was begun for a setting
    that is gone, or by a reindex that is not ``asked`` for any more, is given up.
    """
    answers, coming = serving(connection), building(connection)
    if answers is None:
        _retire(connection, coming, now_ms)
        connection.execute(
            "UPDATE space SET state = 'serving' WHERE id = ?", (spaces.ensure(connection, key, dim),)
        )
    elif answers.key == key or answers.instead_of == setting:
        if not (coming and asked and coming.instead_of == setting):
            _retire(connection, coming, now_ms)
    elif coming is None or coming.key != key:
        begin(connection, key, dim, now_ms)


def begin(connection: Connection, key: str, dim: int, now_ms: int, *, instead_of: str | None = None) -> int:
    """A new space beside the one that serves, in the place of any that was being built."""
    _retire(connection, building(connection), now_ms)
    answers = serving(connection)
    space = spaces.ensure(connection, key + ANEW if answers and answers.key == key else key, dim)
    connection.execute("UPDATE space SET instead_of = ? WHERE id = ?", (instead_of, space))
    return space


def switch(connection: Connection, now_ms: int) -> None:
    """Let the space that was built serve from this transaction on."""
    coming = building(connection)
    if coming is None:
        return
    _retire(connection, serving(connection), now_ms)
    connection.execute("UPDATE space SET state = 'serving', key = ? WHERE id = ?", (coming.key, coming.id))


def _retire(connection: Connection, placed: Placed | None, now_ms: int) -> None:
    if placed is None:
        return
    connection.execute(
        "UPDATE space SET retired_ms = ?, key = key || '#' || id WHERE id = ?", (now_ms, placed.id)
    )
    for of in TABLES:
        connection.execute(f"DELETE FROM {of.backlog} WHERE space_id = ?", (placed.id,))


def drop_retired(connection: Connection) -> int:
    """Remove some vectors of spaces that have had their time, at last the spaces; how many, 0 when all is gone."""
    old = connection.execute("SELECT id FROM space WHERE retired_ms IS NOT NULL LIMIT 1").get
    if old is None:
        return 0
    for of in TABLES:
        connection.execute(
            f"DELETE FROM {of.name} WHERE id IN (SELECT id FROM {of.name} WHERE space_id = ? LIMIT ?)",
            (old, DROPPED_ROWS),
        )
        if dropped := connection.changes():
            return dropped
    connection.execute("DELETE FROM space WHERE id = ?", (old,))
    return 1
