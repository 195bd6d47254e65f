"""A shared store whose server dies or whose network is cut: an error in seconds, all or nothing, and then as before."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from psycopg.conninfo import make_conninfo

from memd.errors import Busy, MemdError, StorageFailed
from memd.turns.shared import Told
from memd.turns.stores.postgres import connections, driver, telling
from memd.turns.stores.postgres.shared import PostgresShared
from tests import postgres_server
from tests.contracts.test_shared import ALL, heard, session, turn, vectors
from tests.postgres_server import SECONDS, Server
from tests.tcp_proxy import Proxy

BATCH = 300
PATIENCE_S = 1.0


@pytest.fixture
def proxy(postgres: str) -> Iterator[Proxy]:
    proxy = Proxy(postgres_server.place(postgres))
    yield proxy
    proxy.refuse()


@pytest.fixture
def address(postgres: str, proxy: Proxy) -> str:
    """The address of a server behind a network."""
    return make_conninfo(postgres_server.behind(proxy, postgres), connect_timeout=2)


@pytest.fixture
def shared(address: str, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresShared]:
    """A store behind a network, with less patience than usual."""
    monkeypatch.setattr(driver.Attentive, "patience_s", PATIENCE_S)
    monkeypatch.setattr(connections, "CHECK_S", PATIENCE_S)
    store = PostgresShared(address, table=name)
    yield store
    store.close()


def _batch(n: int, text: str = "a text of some words") -> Told:
    turns = [turn(f"{n}-{m}", text) for m in range(BATCH)]
    return Told([session()], turns, vectors=[vectors(one.id) for one in turns])


def _fails(asking: Callable[[], object]) -> float:
    """How many seconds it takes until an error of memd's own says that nobody answers."""
    start = time.monotonic()
    with pytest.raises((Busy, StorageFailed)) as caught:
        asking()
    assert "database" in str(caught.value)
    return time.monotonic() - start


def _again(asking: Callable[[], object]) -> None:
    """It works again, soon and by itself."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            asking()
            return
        except (Busy, StorageFailed):
            assert time.monotonic() < deadline


@pytest.mark.parametrize("cut", [Proxy.silence, Proxy.refuse])
@pytest.mark.parametrize("resting", [True, False])
def test_a_network_that_is_cut_is_noticed_in_seconds_and_used_again_when_it_is_back(
    shared: PostgresShared, proxy: Proxy, cut: Callable[[Proxy], None], resting: bool
) -> None:
    if resting:
        shared.publish(_batch(0))
    cut(proxy)

    took = [_fails(lambda: shared.publish(_batch(1))), _fails(lambda: shared.changes({}, ALL, None, 9))]
    proxy.restore()

    assert max(took) < 2 + 2 * PATIENCE_S + 1
    assert shared.publish(_batch(1)) == BATCH
    assert len(heard(shared).turns) == BATCH * (1 + resting)


@pytest.mark.parametrize("cut", [Proxy.silence, Proxy.refuse])
def test_a_network_that_is_cut_in_the_midst_of_it_leaves_all_or_nothing(
    shared: PostgresShared,
    proxy: Proxy,
    postgres: str,
    name: str,
    cut: Callable[[Proxy], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever was cut off in a transaction is let go by the server, and nobody waits for it any more."""
    monkeypatch.setattr(telling, "IDLE", "1s")
    told: list[int] = []
    failed: list[MemdError] = []
    thread = threading.Thread(target=lambda: _tell_on(shared, told, failed))
    thread.start()
    while len(told) < 2:
        assert thread.is_alive(), failed
        time.sleep(0.001)
    cut(proxy)
    thread.join(SECONDS)
    assert len(failed) == 1

    other = PostgresShared(postgres, table=name)
    _again(lambda: other.publish(Told([session("t")], [turn("other", session="t")])))
    found = heard(other)
    other.close()
    batches = {id.split("-")[0] for id in found.turns} - {"other"}
    assert len(found.turns) == len(batches) * BATCH + 1
    assert len(found.vectors) == len(batches) * BATCH
    assert set(map(str, told)) <= batches and len(batches) <= len(told) + 1
    proxy.restore()
    shared.publish(_batch(len(told)))
    assert len(heard(shared).turns) == (len(told) + 1) * BATCH + 1


def test_a_server_that_dies_while_it_is_told_has_all_or_nothing_of_it(server: Server) -> None:
    shared = PostgresShared(server.address)
    told: list[int] = []
    failed: list[MemdError] = []
    thread = threading.Thread(target=lambda: _tell_on(shared, told, failed))
    thread.start()
    while not told:
        assert thread.is_alive(), failed
        time.sleep(0.001)

    server.die()
    thread.join(SECONDS)
    assert len(failed) == 1
    server.start()

    _again(lambda: shared.publish(Told([session("t")], [turn("after", session="t")])))
    found = heard(shared)
    shared.close()
    assert len(found.turns) - 1 == len(found.vectors)
    assert len(found.vectors) in (BATCH * len(told), BATCH * (len(told) + 1))


def _tell_on(shared: PostgresShared, told: list[int], failed: list[MemdError]) -> None:
    """Tell batch after batch until it fails."""
    try:
        for batch in range(10_000):
            shared.publish(_batch(batch))
            told.append(batch)
    except MemdError as error:
        failed.append(error)


def test_a_store_is_opened_though_nobody_answers_and_found_when_somebody_does(
    address: str, proxy: Proxy, name: str
) -> None:
    proxy.refuse()

    late = PostgresShared(address, table=name)
    _fails(lambda: late.publish(_batch(0)))
    proxy.restore()

    assert late.publish(_batch(0)) == BATCH
    late.close()
    with pytest.raises(StorageFailed, match="closed"):
        late.publish(_batch(0))


def test_who_closes_a_store_waits_for_no_answer_that_does_not_come(
    shared: PostgresShared, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.publish(_batch(0))
    monkeypatch.setattr(driver.Attentive, "patience_s", 2.0 * SECONDS)
    proxy.hold()
    failed: list[MemdError] = []
    thread = threading.Thread(target=lambda: _tell_on(shared, [], failed))
    thread.start()
    assert proxy.held.wait(SECONDS)

    shared.close()

    thread.join(SECONDS)
    assert len(failed) == 1


def test_a_table_that_is_dropped_meanwhile_is_made_anew(
    shared: PostgresShared, postgres: str, name: str
) -> None:
    shared.publish(_batch(0))
    reader = heard(shared)
    with driver.connected(postgres) as connection:
        made = driver.run(connection, "SELECT tablename FROM pg_tables WHERE tablename LIKE %s", [f"{name}%"])
        driver.run(connection, f"DROP TABLE {', '.join(str(one) for (one,) in made)} CASCADE", None)

    with suppress(StorageFailed):
        shared.publish(_batch(1))
    shared.publish(_batch(1))

    assert reader.page().restarted
    assert len(heard(shared).turns) == BATCH
