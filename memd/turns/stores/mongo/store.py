"""Turns in one collection of MongoDB, with an index of their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from memd.turns.store import MemoryItem, Scope, TurnView
from memd.turns.stores.mongo import document, driver, schema, turns
from memd.turns.stores.mongo.driver import Client, Collection, Database
from memd.turns.stores.mongo.view import MongoView


class MongoStore:
    """Turns in a collection of MongoDB, made where it is missing with a ``<collection>_meta`` beside it.

    ``client`` is a URL (then the store opens a client, and closes it), a ``MongoClient``, or a ``Database``. The
    ``database`` of the first two is that of the URL, else ``memd``. Several threads, processes and machines may use it.
    On a replica set or sharded cluster turns are added in one transaction; a server by itself has none, and there an
    ``add`` that fails is undone, but not if this process ends in the middle of it. ValueError for a name or client that
    is none of these, DataUnusable for a collection that is not ours or of a newer version, StorageFailed where the
    server cannot be reached, Busy where a repeat may help; with ``create`` off nothing is made, and NotFound says that
    there is no collection.
    """

    def __init__(
        self,
        client: str | Client | Database,
        *,
        database: str | None = None,
        collection: str = "memd_turns",
        create: bool = True,
    ) -> None:
        name = schema.named(collection)
        url = client if isinstance(client, str) else ""
        self._own = driver.opened(url) if url else None
        try:
            with driver.translated(url):
                where = driver.database(self._own if self._own is not None else client, database)
                schema.ensure(where, name, create)
                self._transacts = driver.transacts(where)
            self._turns: Collection = where[name]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the client that the store opened for a URL; a client or database of the caller stays open."""
        if self._own is not None:
            self._own.close()

    def add(self, items: Sequence[MemoryItem]) -> None:
        """Store new turns, all or none. ValueError for an id that is there already."""
        with driver.translated():
            turns.add(self._turns, items, transacts=self._transacts)

    def list(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[MemoryItem]:
        """The turns of a scope with ``since <= created_at < until``, oldest first, ties as they were added."""
        with driver.translated():
            return turns.find(self._turns, document.condition(scope, since, until))

    def get(self, item_id: str) -> MemoryItem | None:
        """One turn; None where there is none by that id."""
        with driver.translated():
            return turns.get(self._turns, item_id)

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are stored."""
        with driver.translated():
            return turns.known(self._turns, ids)

    def update(
        self, item_id: str, *, content: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> MemoryItem | None:
        """Give a turn another text or metadata; the turn as it is now, None where there is none by that id."""
        with driver.translated():
            if content is not None or metadata is not None:
                turns.update(self._turns, item_id, content, metadata)
            return turns.get(self._turns, item_id)

    def delete(self, item_id: str) -> bool:
        """Delete a turn; whether it was there."""
        with driver.translated():
            return self._turns.delete_one(document.identified(item_id)).deleted_count > 0

    def delete_scope(self, scope: Scope) -> int:
        """Delete every turn of a scope; how many there were."""
        with driver.translated():
            return self._turns.delete_many(document.condition(scope)).deleted_count

    @contextmanager
    def view(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[TurnView]:
        """The turns of a scope, for questions; what is written while it is open may be seen by later ones."""
        with driver.translated():
            yield MongoView(self._turns, scope, since, until)
