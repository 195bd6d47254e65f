"""Every store of turns, one after the other; what must hold for one must hold for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.turns.store import MemoryStore
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.sqlite import SQLiteStore

STORES: dict[str, Callable[[Path], InMemoryStore | SQLiteStore]] = {
    "in_memory": lambda folder: InMemoryStore(),
    "sqlite": lambda folder: SQLiteStore(folder / "turns.db"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()
