"""A connection to a fresh database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import driver, migrate
from memd.db.driver import Connection


@pytest.fixture
def connection() -> Iterator[Connection]:
    connection = driver.connect(Path(":memory:"), write=True)
    migrate.build(connection, migrate.newest())
    with driver.transaction(connection):
        yield connection
    connection.close()
