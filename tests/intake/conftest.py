"""A home for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.intake.home import Home
from tests.rows import database


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with database(tmp_path) as db:
        one = Home(tmp_path, db)
        yield one
        one.stop()
        assert not one.fatal
