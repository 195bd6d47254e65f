"""The shared stores that this database was ever level with: as whom it tells them, how far it has told and heard.

A store is known by its place. Another place is another store: there everything is told and heard from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from memd.db import driver
from memd.db.driver import Connection
from memd.turns.shared import Mark, Whose

HEARD = "file_id IN (SELECT file_id FROM shared_store)"  # of a turn: it was heard from a store


@dataclass(frozen=True, slots=True)
class Sharer:
    """A store as it is used here: its place, whose the turns of this machine are, what is told and who is heard."""

    place: str
    user: str
    agent: str | None
    folders: Sequence[str]
    whose: Whose


@dataclass(frozen=True, slots=True)
class Known:
    """A store in the table. ``file`` is the place of the turns that were heard from it."""

    id: int
    file: int
    user: str
    turn: int
    told: int
    space: str | None
    vector: int
    mark: Mark


def settle(connection: Connection, sharer: Sharer) -> int:
    """The row of a store, made where it is new; what else is told, or who else is heard, than before begins anew."""
    connection.execute(
        """INSERT OR IGNORE INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)
             VALUES (?, 0, 0, -1, 0, 0, x'', x'', '')""",
        (sharer.place,),
    )
    folders, whose = _json(sharer.folders), _json([sharer.whose.users, sharer.whose.agent])
    return driver.number(
        connection.execute(
            """INSERT INTO shared_store (place, user_id, file_id, folders, whose)
                 VALUES (?1, ?2, (SELECT id FROM file WHERE path = ?1), ?3, ?4)
               ON CONFLICT (place) DO UPDATE SET user_id = excluded.user_id, file_id = excluded.file_id,
                 turn = iif(folders = excluded.folders, turn, 0), told = iif(folders = excluded.folders, told, 0),
                 vector = iif(folders = excluded.folders, vector, 0), folders = excluded.folders,
                 mark = iif(whose = excluded.whose, mark, '{}'), whose = excluded.whose
               RETURNING id""",
            (sharer.place, sharer.user, folders, whose),
        ).get
    )


def known(connection: Connection, store: int) -> Known:
    """How it stands with a store."""
    id, file, user, turn, told, space, vector, mark = connection.execute(
        "SELECT id, file_id, user_id, turn, told, space, vector, mark FROM shared_store WHERE id = ?",
        (store,),
    ).get
    return Known(id, file, user, turn, told, space, vector, _mark(mark))


def note_heard(connection: Connection, store: int, mark: Mark) -> None:
    """It is heard up to this mark."""
    connection.execute("UPDATE shared_store SET mark = ? WHERE id = ?", (_json(dict(mark)), store))


def tell_again(connection: Connection, store: int) -> None:
    """Everything is to be told once more: the store is not the one that it was told to."""
    connection.execute("UPDATE shared_store SET turn = 0, told = 0, vector = 0 WHERE id = ?", (store,))


def count_heard(connection: Connection, store: int) -> int:
    """How many turns there are that were heard from a store."""
    return driver.number(
        connection.execute(
            "SELECT count(*) FROM turn WHERE file_id = (SELECT file_id FROM shared_store WHERE id = ?)",
            (store,),
        ).get
    )


def _mark(text: str) -> Mapping[str, int]:
    return {str(name): int(value) for name, value in orjson.loads(text).items()}


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
