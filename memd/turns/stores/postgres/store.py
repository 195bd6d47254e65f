"""Turns in one table of PostgreSQL, with an index of their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from memd.turns.store import MemoryItem, Scope, TurnView
from memd.turns.stores.postgres import driver, schema, table
from memd.turns.stores.postgres.driver import Connection, Pool
from memd.turns.stores.postgres.table import Condition
from memd.turns.stores.postgres.view import PostgresView


class PostgresStore:
    """Turns in a table of PostgreSQL, made where it is missing with a ``<table>_meta`` beside it.

    ``conninfo`` is an address (then the store opens a pool of at most ``max_size`` connections, and closes it), a
    ``ConnectionPool``, or a ``Connection`` in autocommit mode. Several threads, processes and machines may use it.
    ValueError for a name or connection that is none of these, DataUnusable for a table that is not ours or of a newer
    version, StorageFailed where the server cannot be reached, Busy where it does not answer in time; with ``create``
    off nothing is made, and NotFound says that there is no table. Meaning needs no vectors here: the turns that words
    bring are compared with the question when it is asked. In a table that machines share there may be vectors, and an
    index of them: then a view tells what is near, too.
    """

    def __init__(
        self,
        conninfo: str | Pool | Connection,
        *,
        table: str = "memd_turns",
        max_size: int = 10,
        create: bool = True,
    ) -> None:
        self._table = schema.named(table)
        self._own = driver.opened(conninfo, max_size) if isinstance(conninfo, str) else None
        self._lending = driver.lending(self._own or conninfo)
        try:
            with self._open() as connection:
                schema.ensure(connection, self._table, create)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the pool that the store opened for an address; a pool or connection of the caller stays open."""
        if self._own is not None:
            self._own.close()

    def add(self, items: Sequence[MemoryItem]) -> None:
        """Store new turns, all or none. ValueError for an id that is there already."""
        with self._write() as connection:
            table.add(connection, self._table, items)

    def list(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[MemoryItem]:
        """The turns of a scope with ``since <= created_at < until``, oldest first, ties as they were added."""
        with self._open() as connection:
            return table.find(connection, self._table, table.condition(scope, since, until))

    def get(self, item_id: str) -> MemoryItem | None:
        """One turn; None where there is none by that id."""
        with self._open() as connection:
            return table.get(connection, self._table, item_id)

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are stored."""
        with self._open() as connection:
            return table.known(connection, self._table, ids)

    def update(
        self, item_id: str, *, content: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> MemoryItem | None:
        """Give a turn another text or metadata; the turn as it is now, None where there is none by that id."""
        with self._write() as connection:
            if content is not None or metadata is not None:
                table.update(connection, self._table, item_id, content, metadata)
            return table.get(connection, self._table, item_id)

    def delete(self, item_id: str) -> bool:
        """Delete a turn; whether it was there."""
        with self._write() as connection:
            return table.delete(connection, self._table, Condition("t.id = %s", [item_id])) > 0

    def delete_scope(self, scope: Scope) -> int:
        """Delete every turn of a scope; how many there were."""
        with self._write() as connection:
            return table.delete(connection, self._table, table.condition(scope))

    @contextmanager
    def view(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[TurnView]:
        """The turns of a scope, for questions; nothing changes in them while it is open."""
        with self._open() as connection, connection.transaction():
            driver.run(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield PostgresView(connection, self._table, scope, since, until)

    @contextmanager
    def _open(self) -> Iterator[Connection]:
        with driver.translated(), self._lending() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._open() as connection, connection.transaction():
            yield connection
