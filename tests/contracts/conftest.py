"""Every store of turns, one after the other; what must hold for one must hold for all."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.turns.shared import SharedStore
from memd.turns.store import Closing, MemoryStore
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.mongo.store import MongoStore
from memd.turns.stores.postgres.shared import PostgresShared
from memd.turns.stores.postgres.store import PostgresStore
from memd.turns.stores.sqlite import SQLiteStore
from tests import mongo_server, postgres_server
from tests.shared.in_memory import InMemoryShared

_NAMES = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL."""
    with postgres_server.running() as address:
        yield address


@pytest.fixture
def server() -> Iterator[postgres_server.Server]:
    """A PostgreSQL of the test's own, that can die as in a power cut."""
    with postgres_server.own() as running:
        yield running


@pytest.fixture(scope="session")
def mongo() -> Iterator[str]:
    """The URL of a MongoDB."""
    with mongo_server.running() as url:
        yield url


@pytest.fixture
def name() -> str:
    """The name of a table or collection that no other test uses."""
    return f"turns_{os.getpid()}_{next(_NAMES)}"


@pytest.fixture(params=["in_memory", "sqlite", "postgres", "mongo"])
def store(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> Iterator[MemoryStore]:
    opening: dict[str, Callable[[], MemoryStore]] = {
        "in_memory": InMemoryStore,
        "sqlite": lambda: SQLiteStore(tmp_path / "turns.db"),
        "postgres": lambda: PostgresStore(request.getfixturevalue("postgres"), table=name),
        "mongo": lambda: MongoStore(request.getfixturevalue("mongo"), collection=name),
    }
    opened = opening[request.param]()
    yield opened
    assert isinstance(opened, Closing)
    opened.close()


@pytest.fixture(params=["in_memory", "postgres"])
def shared(request: pytest.FixtureRequest, name: str) -> Iterator[SharedStore]:
    """Every store that several machines may share."""
    opening: dict[str, Callable[[], SharedStore]] = {
        "in_memory": InMemoryShared,
        "postgres": lambda: PostgresShared(request.getfixturevalue("postgres"), table=name),
    }
    opened = opening[request.param]()
    yield opened
    opened.close()
