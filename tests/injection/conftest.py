"""A fresh memory for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.injection.memory import Memory
from tests.injection.memory import memory as fresh


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with fresh(tmp_path) as one:
        yield one
