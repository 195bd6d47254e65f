"""The store that a name means: nothing, a path, the URL of a server, or an object that is one already."""

from __future__ import annotations

import os
import re

from memd.errors import ConfigError
from memd.turns.shared import SharedStore
from memd.turns.store import MemoryStore
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.sqlite import SQLiteStore

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def is_url(store: str | os.PathLike[str]) -> bool:
    """Whether a name is a URL, and so no path."""
    return _URL.match(os.fspath(store)) is not None


def open_store(store: MemoryStore | str | os.PathLike[str] | None, *, create: bool = True) -> MemoryStore:
    """A store: None is one in this process, a path a SQLite file, a URL one in PostgreSQL or MongoDB.

    ValueError for a URL of which there is none, ConfigError where an extra of memd is missing for it. With ``create``
    off, a server's store is not made: NotFound says that there is none.
    """
    if store is None:
        return InMemoryStore()
    if not isinstance(store, str | os.PathLike):
        return store
    path = os.fspath(store)
    if url := _URL.match(path):
        return _on_server(url[1].lower(), path, create)
    if not path.strip():
        raise ValueError("a store's path must not be blank; give the path of a SQLite file, or None")
    return SQLiteStore(path)


def open_shared(url: str, table: str) -> SharedStore | None:
    """The store that machines share, which need not answer yet; None for no URL.

    ConfigError for a URL or a name of which there is none, and where an extra of memd is missing for it.
    """
    if not url:
        return None
    from memd.turns.stores.postgres.shared import PostgresShared

    try:
        return PostgresShared(url, table=table)
    except ValueError as error:
        raise ConfigError(f"[store] cannot be used: {error}") from None


def _on_server(scheme: str, url: str, create: bool) -> MemoryStore:
    if scheme in ("postgresql", "postgres"):
        from memd.turns.stores.postgres.store import PostgresStore

        return PostgresStore(url, create=create)
    if scheme in ("mongodb", "mongodb+srv"):
        from memd.turns.stores.mongo.store import MongoStore

        return MongoStore(url, create=create)
    raise ValueError(
        f"there is no store for {scheme}:// here; give a postgresql:// or mongodb:// URL, the path of a SQLite file, or"
        " None"
    )
