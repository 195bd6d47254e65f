"""The store that a name means: nothing, a path, or an object that is one already."""

from __future__ import annotations

import os
import re

from memd.turns.store import MemoryStore
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.sqlite import SQLiteStore

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def open_store(store: MemoryStore | str | os.PathLike[str] | None) -> MemoryStore:
    """A store: None is one in this process, a path a SQLite file. ValueError for a URL of which there is none."""
    if store is None:
        return InMemoryStore()
    if not isinstance(store, str | os.PathLike):
        return store
    path = os.fspath(store)
    if url := _URL.match(path):
        raise ValueError(f"there is no store for {url[1]}:// here; give the path of a SQLite file, or None")
    if not path.strip():
        raise ValueError("a store's path must not be blank; give the path of a SQLite file, or None")
    return SQLiteStore(path)
