"""Where an import goes: a memory, a store, a file, or in a dry run nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memd.api.turns import Memory
from memd.db import driver
from memd.errors import NotFound
from memd.turns.store import Closing, Knowing, MemoryItem, MemoryStore
from memd.turns.stores import schema, table
from memd.turns.stores.open import is_url, open_store

if TYPE_CHECKING:
    from memd.db.driver import Connection

Into = Memory | MemoryStore | str | os.PathLike[str] | None


class Target(Protocol):
    """What an import asks of where it goes."""

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are stored."""
        ...

    def add(self, items: Sequence[MemoryItem]) -> None:
        """Store new turns."""
        ...


class _Store:
    def __init__(self, store: MemoryStore, dry_run: bool) -> None:
        self._store, self._dry_run = store, dry_run

    def known(self, ids: Sequence[str]) -> set[str]:
        if isinstance(self._store, Knowing):
            return self._store.known(ids)
        return {id for id in ids if self._store.get(id) is not None}

    def add(self, items: Sequence[MemoryItem]) -> None:
        if not self._dry_run:
            self._store.add(items)


class _File:
    """A file that is looked at and not changed; None where there is none."""

    def __init__(self, connection: Connection | None) -> None:
        self._connection = connection

    def known(self, ids: Sequence[str]) -> set[str]:
        return set() if self._connection is None else table.known(self._connection, ids)

    def add(self, items: Sequence[MemoryItem]) -> None:
        """A dry run stores nothing."""


@contextmanager
def opened(memory: Into, dry_run: bool) -> Iterator[Target]:
    """Where an import goes. ValueError for nowhere, but in a dry run, which makes no file and changes none."""
    if isinstance(memory, Memory):
        yield _Store(memory.store, dry_run)
    elif memory is not None and not isinstance(memory, str | os.PathLike):
        yield _Store(memory, dry_run)
    elif not dry_run:
        yield from _stored(memory)
    elif memory is not None and is_url(memory):
        with _existing(os.fspath(memory)) as target:
            yield target
    elif memory is None or not Path(memory).expanduser().is_file():
        yield _File(None)
    else:
        with driver.foreign(Path(memory).expanduser()) as connection:
            schema.check(connection, str(memory))
            yield _File(connection)


def _stored(memory: str | os.PathLike[str] | None) -> Iterator[Target]:
    """A store that is open for as long as the import runs."""
    if memory is None:
        raise ValueError("an import needs a memory, a store or a path to go to; None is for a dry run")
    store = open_store(memory)
    try:
        yield _Store(store, dry_run=False)
    finally:
        if isinstance(store, Closing):
            store.close()


@contextmanager
def _existing(url: str) -> Iterator[Target]:
    """A store on a server, looked at and not changed; nothing where it was never made."""
    try:
        store = open_store(url, create=False)
    except NotFound:
        yield _File(None)
        return
    try:
        yield _Store(store, dry_run=True)
    finally:
        if isinstance(store, Closing):
            store.close()
