"""What is more to say of a shared table in PostgreSQL: no row is skipped, another store is noticed, indexes answer."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from memd.api import Memory
from memd.errors import Busy, DataUnusable, StorageFailed
from memd.turns import tombstones
from memd.turns.shared import Told, Whose
from memd.turns.store import Extent, Scope
from memd.turns.stores.postgres import driver, feed, page, telling
from memd.turns.stores.postgres.shared import PostgresShared
from memd.turns.stores.postgres.store import PostgresStore
from tests.contracts.test_shared import (
    ALL,
    SPACE,
    START_US,
    Reader,
    at_once,
    heard,
    session,
    turn,
    vectors,
)
from tests.contracts.test_stores import item
from tests.postgres_server import SECONDS, Server


@pytest.fixture
def opened(postgres: str, name: str) -> Iterator[PostgresShared]:
    with opening(postgres, name) as store:
        yield store


@pytest.fixture
def connection(postgres: str) -> Iterator[driver.Connection]:
    """A connection of the test's own."""
    with psycopg.connect(postgres, autocommit=True) as connected:
        yield connected


@contextmanager
def opening(address: str, name: str = "memd") -> Iterator[PostgresShared]:
    store = PostgresShared(address, table=name)
    try:
        yield store
    finally:
        store.close()


def add(connection: driver.Connection, name: str, id: str) -> None:
    """Add a turn as the library does."""
    PostgresStore(connection, table=name).add([item(id, run_id=f"none {id}")])


def insert(connection: driver.Connection, name: str, id: str) -> None:
    """Add a turn as a person does who writes SQL."""
    driver.run(
        connection,
        f"""INSERT INTO "{name}" (id, role, content, size, created_at, user_id, run_id, thread, metadata, words)
            VALUES (%s, 'user', 'a text', 6, now(), 'ada', %s, %s, '{{}}', '')""",
        [id, f"none {id}", id.encode()],
    )


Adding = Callable[[driver.Connection, str, str], None]


def waiting(connection: driver.Connection, seconds: float = SECONDS) -> bool:
    """Whether somebody comes to wait for a lock of the feed's in time."""
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    while not stop.is_set() and driver.run(connection, query).fetchone() == (0,):
        pass
    timer.cancel()
    return not stop.is_set()


@pytest.mark.parametrize("adding", [add, insert])
def test_a_row_that_is_committed_after_a_later_one_is_not_skipped(
    opened: PostgresShared, connection: driver.Connection, postgres: str, name: str, adding: Adding
) -> None:
    opened.publish(Told([session()], [turn("first")]))
    reader = heard(opened)

    with psycopg.connect(postgres, autocommit=True) as slow, slow.transaction():
        adding(slow, name, "low")
        adding(connection, name, "high")
        listening = threading.Thread(target=reader.page)
        listening.start()
        assert waiting(connection)
    listening.join(SECONDS)

    rows = driver.run(connection, f'SELECT id FROM "{name}" ORDER BY seq').fetchall()
    assert [id for (id,) in rows] == ["first", "low", "high"]
    assert list(reader.turns) == ["first", "low", "high"]


def test_a_transaction_that_stays_open_keeps_readers_waiting_for_seconds_only(
    opened: PostgresShared, postgres: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "WAIT", "50ms")
    opened.publish(Told([session()], [turn("first")]))

    with psycopg.connect(postgres, autocommit=True) as slow, slow.transaction():
        add(slow, name, "low")
        with pytest.raises(Busy, match="try again"):
            opened.changes({}, ALL, None, 9)

    assert heard(opened).turns.keys() == {"first", "low"}


def test_no_row_is_skipped_however_writers_come_and_go(
    opened: PostgresShared, postgres: str, name: str
) -> None:
    """Four who add in transactions of any length, some given up, while two who read see only what is committed."""
    opened.publish(Told([session("none")], [turn("first", session="none")]))
    readers = [Reader(opened, most=5), Reader(opened, most=100)]
    done = threading.Event()
    committed: set[str] = set()

    def write(seed: int) -> None:
        draw = random.Random(seed)
        with psycopg.connect(postgres, autocommit=True) as own:
            for n in range(25):
                ids = [f"{seed}-{n}-{m}" for m in range(draw.randrange(1, 4))]
                with suppress(psycopg.errors.RaiseException), own.transaction():
                    for id in ids:
                        draw.choice((add, insert))(own, name, id)
                        driver.run(own, "SELECT pg_sleep(%s)", [draw.random() * 0.02])
                    if draw.random() < 0.3:
                        driver.run(own, "DO $$ BEGIN RAISE 'given up'; END $$", None)
                    committed.update(ids)
                if draw.random() < 0.3:
                    opened.publish(Told(turns=[turn(f"{seed}-{n}-told", session="none")]))
                    committed.add(f"{seed}-{n}-told")

    def listen(reader: Reader) -> None:
        while not done.is_set():
            with suppress(Busy):
                reader.read()

    at_once(
        [lambda seed=seed: write(seed) for seed in range(4)],
        [lambda reader=reader: listen(reader) for reader in readers],
        done,
    )

    there = heard(opened).turns.keys()
    assert len(there) > 100
    assert committed | {"first"} == there
    for reader in readers:
        assert len([1 for one in reader.pages if one.turns]) > 5
        assert reader.read().turns.keys() == there


def test_machines_that_tell_the_same_at_once_tell_it_once(
    opened: PostgresShared, postgres: str, name: str
) -> None:
    every = [turn(str(n)) for n in range(300)]
    new: list[int] = []

    def tell(seed: int) -> None:
        with opening(postgres, name) as own:
            for _ in range(5):
                order = random.Random(seed).sample(every, len(every))
                told = Told([session(n=seed)], order, order, [vectors(one.id) for one in order])
                new.append(own.publish(told))

    at_once([lambda seed=seed: tell(seed) for seed in range(4)], [], threading.Event())

    assert sum(new) == len(every)
    assert heard(opened).turns == {one.id: one for one in every}


def test_turns_of_before_it_was_shared_are_heard_and_so_are_those_added_later(
    connection: driver.Connection, postgres: str, name: str
) -> None:
    add(connection, name, "before")

    with opening(postgres, name) as first, opening(postgres, name) as second:
        reader = heard(first)
        add(connection, name, "after")
        assert second.publish(Told(turns=[turn("before"), turn("told", session="none")])) == 1

        assert list(reader.turns) == ["before"]
        assert list(reader.read().turns) == ["before", "after", "told"]


def test_two_who_make_it_shared_at_once_make_it_once(
    connection: driver.Connection, postgres: str, name: str
) -> None:
    add(connection, name, "before")
    found: list[str] = []

    def read() -> None:
        with opening(postgres, name) as own:
            found.extend(heard(own).turns)

    at_once([read] * 4, [], threading.Event())

    assert found == ["before"] * 4


def test_what_the_library_updates_and_deletes_is_heard(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    turns = [turn("1"), turn("2"), turn("3", session="t")]
    opened.publish(Told([session(), session("t")], turns, vectors=[vectors(one.id) for one in turns]))
    reader, library = heard(opened), PostgresStore(connection, table=name)

    library.update("1", content="another text")
    library.update("2", metadata={"hidden": True})
    library.delete("3")

    assert sorted((one.id, one.text, *one.facts) for one in reader.page().turns) == [
        ("1", "another text"),
        ("2", "a text", "hidden"),
    ]
    anew = heard(opened)
    assert (set(anew.turns), set(anew.vectors), {key for key, _ in anew.sessions}) == (
        {"1", "2"},
        {"2"},
        {"s"},
    )


def test_a_forgotten_turn_that_the_library_adds_again_is_not_heard(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    opened.publish(Told([session("none")], [turn("1", session="none")], forgotten=["2"]))

    add(connection, name, "2")
    add(connection, name, "3")

    assert heard(opened, most=1).turns.keys() == {"1", "3"}


def test_the_library_recalls_what_machines_told(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    told = [
        turn("1", "The key hangs in the shed.", user="ada", facts={"cwd": "/a"}),
        turn("2", "The key is lost.", user="bob", agent="bot"),
    ]
    opened.publish(Told([session(), session(user="bob")], told))
    memory = Memory(store=PostgresStore(connection, table=name))

    found = memory.search("where is the key?", user_id="ada")

    assert "shed" in found.text
    assert "lost" not in found.text
    (kept,) = PostgresStore(connection, table=name).list(Scope("bob", "bot", "s"))
    assert (kept.id, kept.created_at.timestamp() * 1e6) == ("2", pytest.approx(START_US, abs=1))
    assert dict(PostgresStore(connection, table=name).list(Scope("ada"))[0].metadata) == {"cwd": "/a"}


def test_a_store_that_was_restored_from_before_is_noticed_once(server: Server, tmp_path: Path) -> None:
    with opening(server.address) as store:
        store.publish(Told([session()], [turn("1")]))
        early = heard(store)
    server.back_up(tmp_path / "backup")
    with opening(server.address) as store:
        store.publish(Told([session()], [turn("2"), turn("3")]))
        late = heard(store)
    server.restore(tmp_path / "backup")

    with opening(server.address) as store:
        store.publish(Told([session()], [turn(str(n)) for n in range(4, 9)]))
        early.store = late.store = store
        first, second, third = late.page(), late.page(), early.page()

    assert (first.restarted, [one.id for one in first.turns]) == (True, ["1", "4", "5", "6", "7", "8"])
    assert (second.restarted, list(second.turns)) == (False, [])
    assert (third.restarted, [one.id for one in third.turns]) == (False, ["4", "5", "6", "7", "8"])


def test_a_store_that_is_restored_is_noticed_before_anything_is_told(server: Server, tmp_path: Path) -> None:
    with opening(server.address) as store:
        store.publish(Told([session()], [turn("1")]))
    server.back_up(tmp_path / "backup")
    with opening(server.address) as store:
        store.publish(Told(vectors=[vectors("1")]))
        reader = heard(store)
    server.restore(tmp_path / "backup")

    with opening(server.address) as store:
        reader.store = store
        assert reader.page().restarted


def test_a_mark_of_another_store_is_taken_as_empty(opened: PostgresShared, postgres: str, name: str) -> None:
    opened.publish(Told([session()], [turn("1")]))
    with opening(postgres, f"{name}_b") as other:
        other.publish(Told([session()], [turn("2"), turn("3")]))
        mark = heard(other).mark

    for wrong in (mark, {"place": 7}, {"told": 2**62}):
        found = Reader(opened, mark=wrong).page()
        assert (found.restarted, [one.id for one in found.turns]) == (True, ["1"])


def test_tables_that_were_emptied_by_hand_are_another_store(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    opened.publish(Told([session()], [turn("1")]))
    reader = heard(opened)
    tables = (name, *(f"{name}_{one}" for one in ("told", "session", "vector", "changed", "forgotten")))
    driver.run(connection, f"TRUNCATE {', '.join(tables)} CASCADE")

    assert [reader.page().restarted, reader.page().restarted] == [True, False]
    opened.publish(Told([session()], [turn("2")]))
    assert [one.id for one in reader.page().turns] == ["2"]


def test_turns_that_were_truncated_make_another_store_of_it(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    told = Told([session()], [turn("1"), turn("2")], vectors=[vectors("1")], forgotten=["2"])
    opened.publish(told)
    reader = heard(opened)
    driver.run(connection, f'TRUNCATE "{name}" CASCADE')

    with PostgresStore(connection, table=name).view(Scope("ada")) as view:
        assert view.extent() == Extent(0, 0, [])
    assert [reader.page().restarted, reader.page().restarted] == [True, False]
    assert heard(opened).sessions == {}
    opened.publish(told)
    found = reader.read()
    assert (set(found.turns), set(found.vectors), found.forgotten) == (
        {"1"},
        {"1"},
        {tombstones.of_turn("2")},
    )


def test_rows_that_are_deleted_make_no_other_store_of_it(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    opened.publish(Told([session()], [turn("1"), turn("2")], vectors=[vectors("1"), vectors("2")]))
    reader = heard(opened)

    PostgresStore(connection, table=name).delete_scope(Scope("ada"))
    empty = reader.page()
    opened.publish(Told([session()], [turn("3")]))

    assert (empty.restarted, empty.more, list(empty.turns)) == (False, False, [])
    found = reader.page()
    assert (found.restarted, [one.id for one in found.turns]) == (False, ["3"])


def test_many_turns_at_once_are_told_and_read_in_parts(
    opened: PostgresShared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MOST", 7)
    monkeypatch.setattr(telling, "MOST_BYTES", 3_000)
    monkeypatch.setattr(page, "MOST_BYTES", 2_000)
    monkeypatch.setattr(page, "WINDOW", 5)
    monkeypatch.setattr(page, "MOST_FORGOTTEN", 2)
    every = [turn(f"{n}", "x" * (300 * (n % 9)), user=f"user {n % 5}") for n in range(60)]
    sessions = [session(user=f"user {n}") for n in range(5)]

    opened.publish(Told(sessions, every, vectors=[vectors(one.id) for one in every]))
    opened.publish(Told(changed=[one._replace(role="system") for one in every[::2]]))
    opened.publish(Told(forgotten=[f"never {n}" for n in range(20)]))

    for most in (1, 3, 500):
        found = heard(opened, most=most, whose=Whose(["user 1", "user 3"]))
        assert {int(id) for id in found.turns} == {n for n in range(60) if n % 5 in (1, 3)}
        assert found.turns.keys() == found.vectors.keys()
        assert {one.role for id, one in found.turns.items() if int(id) % 2 == 0} == {"system"}
        assert max(sum(len(one.text) for one in heard.turns) for heard in found.pages) <= 2_400
        assert len(found.forgotten) == 20


def test_changes_and_vectors_of_turns_read_already_come_in_parts_too(
    opened: PostgresShared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "WINDOW", 5)
    every = [turn(f"{n}") for n in range(40)]
    opened.publish(Told([session()], every))
    reader = heard(opened, most=3)

    opened.publish(
        Told([], [], [one._replace(text="new") for one in every], [vectors(one.id) for one in every])
    )
    reader.pages.clear()
    reader.read()

    assert {one.text for one in reader.turns.values()} == {"new"}
    assert len(reader.vectors) == 40
    assert max(len(heard.turns) for heard in reader.pages) == 3


@pytest.mark.parametrize("key", ["a\0b", "", "é" * 1_001, "x" * 100_000, "\0" * 2_000])
def test_a_session_by_any_key_is_told(opened: PostgresShared, key: str) -> None:
    opened.publish(Told([session(key, title="a title")], [turn("1", session=key)]))
    opened.publish(Told([session(key, branch="main")]))

    ((one,), (described,)) = (heard(opened).turns.values(), heard(opened).sessions.values())
    assert one.session == described.key
    assert described.facts == {"title": "a title", "branch": "main"}
    assert "\0" not in one.session


def test_each_transaction_leaves_one_sign(
    opened: PostgresShared, connection: driver.Connection, name: str
) -> None:
    def signs() -> int:
        ((count,),) = driver.run(connection, f'SELECT count(*) FROM "{name}_told"')
        assert isinstance(count, int)
        return count

    heard(opened)
    before = signs()

    opened.publish(Told([session()], [turn("1")], [turn("1", "new")], [vectors("1")], ["2"]))
    assert signs() == before + 1
    opened.publish(Told([], [turn("1")], vectors=[vectors("1")]))
    heard(opened)
    assert signs() == before + 1


def test_questions_about_many_turns_are_answered_by_the_indexes(
    opened: PostgresShared, name: str, connection: driver.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [turn(str(n), session=f"s{n // 2}", user=f"user {n % 7}") for n in range(20_000)]
    for at in range(0, len(every), 4_000):
        turns = every[at : at + 4_000]
        sessions = {(one.session, one.user): session(one.session, one.user) for one in turns}
        opened.publish(Told([*sessions.values()], turns, vectors=[vectors(one.id) for one in turns]))
    opened.publish(Told(changed=[one._replace(text="new") for one in every[:10_000:5]]))
    opened.publish(Told(forgotten=[f"never {n}" for n in range(5_000)]))
    driver.run(connection, f'INSERT INTO "{name}_told" (sign) SELECT * FROM generate_series(1, 5000)', None)
    tables = ", ".join(f'"{name}{suffix}"' for suffix in [*feed.FEEDS.values(), "_told"])
    driver.run(connection, f"ANALYZE {tables}", None)
    reader = heard(opened, most=2_000)
    opened.publish(Told([session()], [turn("new")], [every[5]._replace(text="again")], [vectors("0")]))
    opened.publish(Told(forgotten=["1"]))
    asked: list[tuple[str, driver.Values | None]] = []
    plain = driver.run

    def noted(
        of: driver.Connection, statement: str, values: driver.Values | None = ()
    ) -> psycopg.Cursor[driver.Row]:
        asked.append((statement, dict(values) if isinstance(values, Mapping) else values))
        return plain(of, statement, values)

    for module in (feed, page):
        monkeypatch.setattr(module, "run", noted)
    for whose in (ALL, Whose(["user 5"], None), Whose(None, "bot")):
        Reader(
            opened, whose, mark=reader.mark, turns=dict(reader.turns), sessions=dict(reader.sessions)
        ).page()
        Reader(opened, whose, most=500).page()
    Reader(opened, mark={**reader.mark, "session": 0}).page()

    questions = {statement: values for statement, values in asked if "SELECT" in statement}
    plans = {one: _plan(connection, one, values) for one, values in questions.items()}
    assert len(plans) > 12
    assert not {one: plan for one, plan in plans.items() if "Seq Scan" in plan}
    assert not {one: plan for one, plan in plans.items() if "Sort Key" in plan and "LIMIT" in one}


def _plan(connection: driver.Connection, statement: str, values: driver.Values | None) -> str:
    last = statement.rsplit(";", 1)[-1]
    return "\n".join(str(line) for (line,) in driver.run(connection, f"EXPLAIN {last}", values))


@pytest.mark.parametrize("key", ["version", "shared"])
def test_what_a_newer_memd_shares_is_refused(
    opened: PostgresShared, postgres: str, name: str, connection: driver.Connection, key: str
) -> None:
    heard(opened)
    driver.run(connection, f"UPDATE \"{name}_meta\" SET value = '99' WHERE key = %s", [key])

    with opening(postgres, name) as other, pytest.raises(DataUnusable, match="newer memd"):
        heard(other)


def test_R12_the_password_of_an_address_is_told_to_nobody() -> None:
    address = "postgresql://ada:hunter2@localhost:1/db?sslmode=require"
    with opening(address) as store:
        for asking in (
            lambda: store.changes({}, ALL, SPACE, 9),
            lambda: store.publish(Told(forgotten=["1"])),
        ):
            with pytest.raises(StorageFailed) as caught:
                asking()
            assert "hunter2" not in str(caught.value)
            assert caught.value.__suppress_context__
    with pytest.raises(ValueError, match="cannot be read") as wrong:
        PostgresShared("postgresql://ada:hunter2@localhost:1/db?wrong=hunter2")
    assert "hunter2" not in str(wrong.value)
    for password in ("hunter2@", "hunter2%", "hunter2 ", "hunter2/"):
        with pytest.raises(ValueError, match="percent-encoded") as wrong:
            PostgresShared(f"postgresql://ada:{password}@localhost:1/db")
        assert "hunter2" not in str(wrong.value)


def test_a_setting_of_the_database_that_was_wrong_counts_once_it_is_right(
    postgres: str, name: str, connection: driver.Connection
) -> None:
    with connection.transaction():
        driver.run(connection, f'CREATE ROLE "{name}" LOGIN SUPERUSER')
        driver.run(connection, f'ALTER ROLE "{name}" SET default_transaction_read_only = on')
    address = psycopg.conninfo.make_conninfo(postgres, user=name)
    with opening(address, name) as store:
        with pytest.raises(StorageFailed, match="read-only"):
            store.changes({}, ALL, SPACE, 9)
        driver.run(connection, f'ALTER ROLE "{name}" RESET default_transaction_read_only')

        assert store.changes({}, ALL, SPACE, 9).turns == []


def test_what_an_address_says_of_tls_and_of_waiting_stays_as_it_is() -> None:
    given = "postgresql://a:b@host:1/db?sslmode=verify-full&sslrootcert=/a%20b&connect_timeout=3&keepalives_idle=7"

    told = psycopg.conninfo.conninfo_to_dict(
        driver.patient(given, {"connect_timeout": 9, "keepalives_count": 2})
    )

    assert told == psycopg.conninfo.conninfo_to_dict(given) | {"keepalives_count": "2"}
