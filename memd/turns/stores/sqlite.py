"""Turns in one SQLite file, with an index of their words."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from memd.db import driver
from memd.db.driver import Connection
from memd.db.keyword import Filter
from memd.errors import CannotCreate, StorageFailed
from memd.turns.store import MemoryItem, Scope, TurnView
from memd.turns.stores import schema, table
from memd.turns.stores.view import Measured, SQLiteView

IN_MEMORY = ":memory:"


class SQLiteStore:
    """Turns in a SQLite file, made where it is missing, for its owner alone; ``:memory:`` is one in this process.

    Several threads and several processes may use it. DataUnusable for a file that is no store of turns, or of a newer
    version; CannotCreate where the file cannot be made.
    """

    def __init__(self, path: str | Path = "memd_turns.db") -> None:
        self._lock, self._measured = threading.RLock(), Measured()
        self._connection: Connection | None = None
        with driver.translated():
            self._connection = _opened(str(path))

    def close(self) -> None:
        """Close the file; the store is of no use then."""
        with self._lock:
            if self._connection is not None:
                driver.close(self._connection)
                self._connection = None

    def add(self, items: Sequence[MemoryItem]) -> None:
        """Store new turns, all or none. ValueError for an id that is there already."""
        with self._write() as connection:
            table.add(connection, items)

    def list(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[MemoryItem]:
        """The turns of a scope with ``since <= created_at < until``, oldest first, ties as they were added."""
        with self._open() as connection:
            return table.find(connection, table.condition(scope, since, until))

    def get(self, item_id: str) -> MemoryItem | None:
        """One turn; None where there is none by that id."""
        with self._open() as connection:
            return table.get(connection, item_id)

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are stored."""
        with self._open() as connection:
            return table.known(connection, ids)

    def update(
        self, item_id: str, *, content: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> MemoryItem | None:
        """Give a turn another text or metadata; the turn as it is now, None where there is none by that id."""
        with self._write() as connection:
            known = table.get(connection, item_id)
            if known is not None and (content is not None or metadata is not None):
                table.update(connection, known, content, metadata)
            return table.get(connection, item_id)

    def delete(self, item_id: str) -> bool:
        """Delete a turn; whether it was there."""
        with self._write() as connection:
            return table.delete(connection, Filter("t.id = ?", [item_id])) > 0

    def delete_scope(self, scope: Scope) -> int:
        """Delete every turn of a scope; how many there were."""
        with self._write() as connection:
            return table.delete(connection, table.condition(scope))

    @contextmanager
    def view(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[TurnView]:
        """The turns of a scope, for questions; nothing changes in them while it is open."""
        with self._open() as connection, connection:  # one snapshot
            yield SQLiteView(connection, self._measured, scope, since, until)

    @contextmanager
    def _open(self) -> Iterator[Connection]:
        with self._lock:
            if self._connection is None:
                raise StorageFailed("the store is closed; open another one")
            with driver.translated(self._connection):
                yield self._connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._open() as connection, driver.transaction(connection):
            yield connection


def _opened(path: str) -> Connection:
    if path != IN_MEMORY:
        path = os.path.expanduser(path)
        _made(path)
    connection = driver.connect(Path(path), write=True)
    try:
        schema.ensure(connection, path)
    except BaseException:
        driver.close(connection)
        raise
    return connection


def _made(path: str) -> None:
    """Make the file where it is missing, for its owner alone."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise CannotCreate(f"{path} cannot be opened for writing: {error.strerror}") from None
