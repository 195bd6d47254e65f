"""What becomes of turns, and of who adds and asks, when the server of PostgreSQL dies and comes back."""

from __future__ import annotations

import threading
import time

from memd.errors import Busy, MemdError, StorageFailed
from memd.turns.stores.postgres.store import PostgresStore
from tests.contracts.test_stores import ADA, item
from tests.postgres_server import SECONDS, Server

BATCH = 400


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
