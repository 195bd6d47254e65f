"""A store, and machines that share it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared.in_memory import InMemoryShared
from tests.shared.machine import Made, machines


@pytest.fixture
def store() -> InMemoryShared:
    return InMemoryShared()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Made]:
    with machines(tmp_path) as made:
        yield made
