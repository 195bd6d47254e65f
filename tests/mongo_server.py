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


class Server:
    """The stand-in, with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("nx_27017", reason="no MongoDB here: pip install nx-27017")
        self._folder, self._port = folder, _free_port()
        self.url = f"mongodb://127.0.0.1:{self._port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Come up, or come back with what was stored."""
        options = [
            "--data-dir",
            str(self._folder),
            "-p",
            str(self._port),
            "--pid-file",
            f"{self._folder}/pid",
        ]
        with open(self._folder / "log", "ab") as log:
            command = [sys.executable, "-c", "from nx_27017 import main; main()", *options]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        _wait(self._port)

    def die(self) -> None:
        """Go at once, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server that lives for so long."""
    if given := os.environ.get("MEMD_TEST_MONGO_URL"):
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="memd-mongo-") as folder, own(Path(folder)) as server:
        yield server.url


@contextmanager
def own(folder: Path) -> Iterator[Server]:
    """A stand-in that may die and come back."""
    server = Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.die()


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
