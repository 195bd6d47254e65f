"""Changesets: what a piece of work did to rows, as SQLite notes it, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Changeset, ChangesetBuilder, Connection, Session, TableChange, Value

Key = tuple[str, tuple[Value, ...]]  # a table, and the primary key of a row in it


@dataclass(frozen=True, slots=True)
class Change:
    """What a changeset holds of one row: which it is, and its columns before and after.

    Empty where there was none, or is none any more; None stands for a column that was not touched, too.
    """

    row: Key
    before: Sequence[Value]
    after: Sequence[Value]


def changes_of(connection: Connection, tables: Iterable[str], work: Callable[[], object]) -> bytes:
    """SQLite's changeset of what ``work`` does to rows of these tables: what they were, and what they became."""
    session = Session(connection, "main")
    try:
        for table in tables:
            session.attach(table)
        work()
        return session.changeset()
    finally:
        session.close()


def changes_in(changeset: bytes) -> list[Change]:
    """The rows of a changeset, with the columns it touched. ValueError where the bytes are none."""
    with _readable():
        return [_change(change) for change in Changeset.iter(changeset)]


def revert(connection: Connection, changeset: bytes) -> list[Key]:
    """Take a changeset back: each column it touched gets the value it had.

    Gives the rows for which that cannot be, since they changed in those columns or went, or others hang on them; the
    caller must roll back then. ValueError where the bytes are no changeset.
    """
    with _readable():
        opposite = Changeset.invert(changeset)
    clashes: list[Key] = []

    def clash(reason: int, change: TableChange) -> int:
        foreign = reason == driver.FOREIGN_KEY
        clashes.append(("others hang on it", ()) if foreign else _change(change).row)
        return driver.OMIT

    # Every row that went or changed along with another stands in the changeset itself. Were it to follow once more, by
    # the table's own ON DELETE, it would not be found as the changeset knows it.
    Changeset.apply(opposite, connection, conflict=clash, flags=driver.NO_ACTION)
    return clashes


def without(connection: Connection, changeset: bytes, dropped: Callable[[Change], bool]) -> bytes:
    """The changeset without the rows that are ``dropped``; empty where none is left."""
    builder = ChangesetBuilder()  # type: ignore[no-untyped-call]  # its stub names no types
    builder.schema(connection, "main")
    for change in Changeset.iter(changeset):
        if not dropped(_change(change)):
            builder.add_change(change)
    return builder.output()


@contextmanager
def _readable() -> Iterator[None]:
    """A broken changeset is not a broken database."""
    try:
        yield
    except driver.Corrupt as error:
        raise ValueError("no changeset") from error


def _change(change: TableChange) -> Change:
    old, new = change.old or (), change.new or ()
    row = old or new
    key = _held(row[column] for column in sorted(change.pk_columns))
    return Change((change.name, tuple(key)), _held(old), _held(new))


def _held(values: Iterable[object]) -> list[Value]:
    """The values: a column that was not touched has a mark in its place."""
    return [value if isinstance(value, int | float | str | bytes) else None for value in values]
