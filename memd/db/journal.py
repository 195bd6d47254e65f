"""The undo journal: changes that can be taken back, each recorded in the transaction that makes it.

An entry holds SQLite's changeset of what the change did to rows: the columns that it touched, as they were and as they
became. Undoing gives those columns back, byte for byte, and is a change of its own that can be undone. It refuses where
one of them has changed since. What is forgotten goes from the journal too, and cannot be brought back from it; the
forgetting stands there as a mark, a change without a changeset, so that undoing does not reach past it unasked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memd.db import changesets, driver
from memd.db.changesets import Change, Key
from memd.db.driver import Connection, Row, Value
from memd.errors import BadRequest, NotFound

T = TypeVar("T")

# Rows of these are recorded. What derives from others (indexes, vectors) is made anew, never undone.
TABLES = (
    "project",
    "project_alias",
    "project_dir",
    "session",
    "entry",
    "entry_source",
    "entity",
    "entity_alias",
    "relationship",
    "watermark",
    "decision",
)
SAID_ROWS = 5
NO_CHANGESET = b""

_COLUMNS = "id, at_ms, what, changeset, undoes, undone_by"


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: what was done and when, how many rows it touched, which change it took back, which took it back.

    ``final``: nothing takes it back.
    """

    id: int
    at_ms: int
    what: str
    rows: int
    undoes: int | None
    undone_by: int | None
    final: bool


def record(
    connection: Connection,
    what: str | Callable[[T], str],
    now_ms: int,
    work: Callable[[], T],
    *,
    undoes: int | None = None,
) -> tuple[T, int | None]:
    """Do ``work`` and note how to undo it: its result, and the number of the entry (None where nothing changed).

    ``what`` names the change to a person, or names it by its result. It does so by ids and paths: no text that may be
    forgotten stands in it.
    """
    results: list[T] = []
    changeset = changesets.changes_of(connection, TABLES, lambda: results.append(work()))
    if not changeset:
        return results[0], None
    connection.execute(
        "INSERT INTO journal (at_ms, what, changeset, undoes) VALUES (?, ?, ?, ?)",
        (now_ms, what if isinstance(what, str) else what(results[0]), changeset, undoes),
    )
    return results[0], connection.last_insert_rowid()


def mark(connection: Connection, what: str, now_ms: int) -> None:
    """Note a change that nothing takes back; ``what`` names it as for ``record``."""
    connection.execute(
        "INSERT INTO journal (at_ms, what, changeset) VALUES (?, ?, ?)", (now_ms, what, NO_CHANGESET)
    )


def undo(connection: Connection, number: int | None, now_ms: int) -> tuple[Entry, int | None]:
    """Take a change back, by default the last that was not; the change, and the entry of its undoing.

    NotFound where there is none, BadRequest where it is final, undone already, or a row of it has changed since. The
    caller's transaction must be rolled back then.
    """
    row = _wanted(connection, number)
    entry, changeset = _entry(row), driver.blob(row[3])
    if entry.final:
        which = "the last change" if number is None else f"change {entry.id}"
        raise BadRequest(
            f"{which} was a forgetting ({entry.what}), which nothing takes back;"
            " `memctl undo --list` shows earlier changes, `memctl undo ID` takes one back"
        )
    if entry.undone_by is not None:
        raise BadRequest(
            f"change {entry.id} is undone already; `memctl undo {entry.undone_by}` brings it back"
        )

    def work() -> None:
        try:
            clashes = changesets.revert(connection, changeset)
        except ValueError:
            raise BadRequest(
                f"change {entry.id} cannot be undone: what it did cannot be read any more"
            ) from None
        if clashes:
            raise BadRequest(
                f"change {entry.id} cannot be undone, for later changes touched it: {_said(clashes)}"
            )

    _, made = record(connection, f"undo {entry.id} ({entry.what})", now_ms, work, undoes=entry.id)
    connection.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (made, entry.id))
    if entry.undoes is not None:
        connection.execute("UPDATE journal SET undone_by = NULL WHERE id = ?", (entry.undoes,))
    return entry, made


def listing(connection: Connection, limit: int) -> list[Entry]:
    """The last changes, newest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM journal ORDER BY id DESC LIMIT ?", (limit,))
    return [_entry(row) for row in rows]


def prune(connection: Connection, before_ms: int) -> int:
    """Forget changes from before that time; how many there were."""
    connection.execute("DELETE FROM journal WHERE at_ms < ?", (before_ms,))
    return connection.changes()


def states(connection: Connection, table: str) -> Mapping[Key, Sequence[Mapping[str, Value]]]:
    """What changes hold of rows of a table, before and after them: the columns that were touched, or all of a row.

    Also of rows that are there no more.
    """
    names = [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    found: dict[Key, list[Mapping[str, Value]]] = {}
    for (changeset,) in connection.execute("SELECT changeset FROM journal").fetchall():
        for change in _changes(driver.blob(changeset)):
            if change.row[0] == table:
                both = (
                    dict(zip(names, state, strict=False)) for state in (change.before, change.after) if state
                )
                found.setdefault(change.row, []).extend(both)
    return found


def strike(connection: Connection, gone: Collection[Key]) -> None:
    """Take rows that are gone for good out of every change: nothing of them is left to bring back. Marks stay."""
    changes = connection.execute("SELECT id, changeset FROM journal WHERE changeset <> ?", (NO_CHANGESET,))
    for number, changeset in changes.fetchall():
        held = driver.blob(changeset)
        left = _without(connection, held, gone)
        if not left:
            connection.execute("DELETE FROM journal WHERE id = ?", (number,))
        elif left != held:
            connection.execute("UPDATE journal SET changeset = ? WHERE id = ?", (left, number))


def _without(connection: Connection, changeset: bytes, gone: Collection[Key]) -> bytes:
    """The changeset without these rows; nothing where it cannot be read, for it might hold them."""
    try:
        if not any(change.row in gone for change in changesets.changes_in(changeset)):
            return changeset
    except ValueError:
        return b""
    return changesets.without(connection, changeset, lambda change: change.row in gone)


def _wanted(connection: Connection, number: int | None) -> Row:
    which, values = ("undoes IS NULL AND undone_by IS NULL", ()) if number is None else ("id = ?", (number,))
    row: Row | None = connection.execute(
        f"SELECT {_COLUMNS} FROM journal WHERE {which} ORDER BY id DESC LIMIT 1", values
    ).fetchone()
    if row is None:
        raise NotFound(
            "there is nothing to undo" if number is None else f"there is no change {number} to undo"
        )
    return row


def _entry(row: Row) -> Entry:
    number, at_ms, what, changeset, undoes, undone_by = row
    return Entry(
        driver.number(number),
        driver.number(at_ms),
        str(what),
        _count(driver.blob(changeset)),
        None if undoes is None else driver.number(undoes),
        None if undone_by is None else driver.number(undone_by),
        changeset == NO_CHANGESET,
    )


def _count(changeset: bytes) -> int:
    """How many rows it touched; none that can be told where it cannot be read."""
    return len(_changes(changeset))


def _changes(changeset: bytes) -> Sequence[Change]:
    try:
        return changesets.changes_in(changeset)
    except ValueError:
        return ()


def _said(rows: list[Key]) -> str:
    said = [f"{table} {', '.join(map(str, key))}".rstrip() for table, key in rows[:SAID_ROWS]]
    return ", ".join([*said, *(["…"] if len(rows) > SAID_ROWS else [])])
