"""A table of turns in PostgreSQL that several machines share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memd.turns.shared import Heard, Mark, Told, Whose
from memd.turns.stores.postgres import driver, feed, near_schema, page, schema, shared_schema, telling
from memd.turns.stores.postgres.connections import Connections
from memd.turns.stores.postgres.driver import Connection

FILLING_S = 1.0  # of one who has heard all there is, as long as vectors lack in their index


class PostgresShared:
    """A ``SharedStore`` in the very table that ``PostgresStore`` has, and ``<table>_session`` and more beside it.

    ``conninfo`` is an address, ``most`` how many connections there are at most. ValueError for an address that cannot
    be read or a name that is no table's. Nobody need answer yet: what is missing is made when first asked for anything.
    Then Busy or StorageFailed say that nobody answers, and DataUnusable that the table is not ours or of a newer memd.
    """

    def __init__(self, conninfo: str, *, table: str = "memd", most: int = 4) -> None:
        self._table = schema.named(table)
        self._connections = Connections(conninfo, most)
        self._made = False
        self._due = True  # vectors may lack in their index

    def close(self) -> None:
        """Let go of the connections."""
        self._connections.close()

    def publish(self, told: Told) -> int:
        """Tell all of this or nothing; how many turns were new. ValueError for what no row can hold."""
        with self._open() as connection:
            new = telling.publish(connection, self._table, told)
            self._due = near_schema.fill(connection, self._table, seconds=0.0)  # more is to be told, maybe
            return new

    def changes(self, mark: Mark, whose: Whose, space: str | None, most: int) -> Heard:
        """What was told since the mark, about so many turns at once, and the vectors of a space."""
        with self._open() as connection:
            heard = feed.changes(connection, self._table, mark, page.Asked(whose, space, most))
            if self._due and not heard.more:
                self._due = near_schema.fill(connection, self._table, FILLING_S)
            return heard

    @contextmanager
    def _open(self) -> Iterator[Connection]:
        with self._connections.lent() as connection:
            if not self._made:
                shared_schema.ensure(connection, self._table)
                near_schema.ensure(connection, self._table)
                self._made = True
            try:
                yield connection
            except driver.Error:
                self._made = False  # the table may have gone; it is looked for anew
                raise
