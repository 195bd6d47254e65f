"""A MongoDB for tests: MEMD_TEST_MONGO_URL names a true one; else NX-27017 stands in, which speaks its protocol."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 20


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server that lives for so long."""
    if given := os.environ.get("MEMD_TEST_MONGO_URL"):
        yield given
        return
    pytest.importorskip("nx_27017", reason="no MongoDB here: pip install nx-27017")
    with tempfile.TemporaryDirectory(prefix="memd-mongo-") as folder, open(Path(folder) / "log", "wb") as log:
        port = _free_port()
        command = ["-c", "from nx_27017 import main; main()", "--data-dir", folder, "-p", str(port)]
        server = subprocess.Popen([sys.executable, *command], stdout=log, stderr=log)
        try:
            _wait(port)
            yield f"mongodb://127.0.0.1:{port}/"
        finally:
            server.kill()  # its data go anyway
            server.wait(10)


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def _wait(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"no server answers at port {port} after {SECONDS} s")
