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

OWN = (
    "t.file_id IN (SELECT file_id FROM shared_store) IS NOT TRUE"  # of a turn: it was not heard from a store
)


@dataclass(frozen=True, slots=True)
class Sharer:
    """A store as it is used here: its place, whose the turns of this machine are, what is told and who is heard.

    ``folders``: only theirs are told, where there are any; of those that are ``excluded`` nothing is told or heard.
    """

    place: str
    user: str
    agent: str | None
    folders: Sequence[str]
    excluded: Sequence[str]
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
    """The row of a store, made where it is new. What more is told, or who else is heard, than before begins anew."""
    connection.execute(
        """INSERT OR IGNORE INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)
             VALUES (?, 0, 0, -1, 0, 0, x'', x'', '')""",
        (sharer.place,),
    )
    connection.execute(
        "INSERT OR IGNORE INTO shared_store (place, user_id) VALUES (?, ?)", (sharer.place, sharer.user)
    )
    row, *before = connection.execute(
        "SELECT id, folders, excluded, whose FROM shared_store WHERE place = ?", (sharer.place,)
    ).get
    folders, excluded, whose = (orjson.loads(text) for text in before)
    opened = not set(excluded) <= set(sharer.excluded)
    others = whose != [sharer.whose.users and list(sharer.whose.users), sharer.whose.agent]
    if opened or others or folders != list(sharer.folders):
        _tell_anew(connection, row)
    if opened or others:  # without a mark nobody would see that the store is another one: so all is told anew
        note_heard(connection, row, {})
    connection.execute(
        """UPDATE shared_store SET user_id = ?, folders = ?, excluded = ?, whose = ?,
             file_id = (SELECT id FROM file WHERE path = place) WHERE id = ?""",
        (sharer.user, _json(sharer.folders), _json(sharer.excluded), _json(list(sharer.whose)), row),
    )
    return driver.number(row)


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
    """Tell everything once more, also what has changed of it: the store is not the one that it was told to."""
    _tell_anew(connection, store)
    connection.execute(
        f"""INSERT OR REPLACE INTO outgoing (store_id, kind, key)
            SELECT ?, 'turn', t.id FROM turn t WHERE {OWN} ORDER BY t.rowid""",
        (store,),
    )


def begin_anew(connection: Connection) -> None:
    """Tell and hear every store from the beginning, for a folder is excluded no longer."""
    connection.execute("UPDATE shared_store SET turn = 0, told = 0, vector = 0, mark = '{}'")


def _tell_anew(connection: Connection, store: int) -> None:
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
