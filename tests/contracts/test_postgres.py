"""What is more to say of a store in PostgreSQL: who may use it, what it refuses, what becomes of a lost server."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from memd import api
from memd.api import Memory, import_history
from memd.errors import Busy, DataUnusable, NotFound, StorageFailed
from memd.turns.store import Scope
from memd.turns.stores.postgres import days, driver, ranking, table, view
from memd.turns.stores.postgres.store import PostgresStore
from tests.contracts.test_stores import ADA, START, ids, item

ADDING = """
import sys
from datetime import datetime, UTC
from memd.turns.store import MemoryItem
from memd.turns.stores.postgres.store import PostgresStore
store = PostgresStore(sys.argv[1], table=sys.argv[2])
for n in range(40):
    store.add([MemoryItem(f"{sys.argv[3]}-{n}-{m}", "user", "a text", datetime.now(UTC), user_id="ada") for m in "ab"])
"""


@pytest.fixture
def opened(postgres: str, name: str) -> Iterator[PostgresStore]:
    store = PostgresStore(postgres, table=name)
    yield store
    store.close()


@pytest.fixture
def connection(postgres: str) -> Iterator[psycopg.Connection]:
    """A connection of the test's own."""
    with psycopg.connect(postgres, autocommit=True) as connected:
        yield connected


def test_LS22_two_processes_make_a_table_and_add_to_it_at_once(postgres: str, name: str) -> None:
    command = [sys.executable, "-c", ADDING, postgres, name]

    running = [subprocess.Popen([*command, who]) for who in "ab"]

    assert [one.wait(60) for one in running] == [0, 0]
    store = PostgresStore(postgres, table=name)
    found = store.list(ADA)
    with store.view(ADA) as view:
        assert view.extent().turns == 160
    store.close()
    assert sorted(ids(found)) == sorted(f"{who}-{n}-{m}" for who in "ab" for n in range(40) for m in "ab")


def test_LS22_a_pool_and_a_connection_are_used_as_they_are_and_stay_open(
    postgres: str, name: str, connection: psycopg.Connection
) -> None:
    with ConnectionPool(postgres, min_size=1, max_size=2) as pool:
        of_pool = PostgresStore(pool, table=name)
        of_connection = PostgresStore(connection, table=name)
        of_pool.add([item("1")])
        of_connection.add([item("2")])
        of_pool.close()
        of_connection.close()

        assert ids(of_pool.list(ADA)) == ids(of_connection.list(ADA)) == ["1", "2"]
        with pool.connection() as lent:
            assert not lent.autocommit


def test_LS22_what_lends_no_connection_is_refused(postgres: str) -> None:
    with psycopg.connect(postgres) as transactional:
        for wrong in (transactional, 5, None):
            with pytest.raises(ValueError, match="autocommit"):
                PostgresStore(wrong)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize("wrong", ["", "a-b", 'a"; DROP TABLE b', "a" * 52, None])
def test_LS22_a_name_that_is_no_tables_is_refused(postgres: str, wrong: str) -> None:
    with pytest.raises(ValueError, match="51 letters"):
        PostgresStore(postgres, table=wrong)


def test_LS22_a_table_of_a_newer_version_is_refused(
    postgres: str, opened: PostgresStore, name: str, connection: psycopg.Connection
) -> None:
    connection.execute(f"UPDATE {name}_meta SET value = '99' WHERE key = 'version'".encode())

    with pytest.raises(DataUnusable, match="newer memd"):
        PostgresStore(postgres, table=name)


@pytest.mark.parametrize("suffix", ["", "_meta"])
def test_LS22_a_table_of_another_kind_is_refused_and_left_as_it_is(
    postgres: str, name: str, connection: psycopg.Connection, suffix: str
) -> None:
    connection.execute(f"CREATE TABLE {name}{suffix} (key text, value text)".encode())

    with pytest.raises(DataUnusable, match="another kind"):
        PostgresStore(postgres, table=name)


def test_LS28_a_dry_run_makes_no_table(postgres: str, connection: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "turns.jsonl").write_text('{"role": "user", "content": "a text"}\n')

    report = import_history(tmp_path, postgres, dry_run=True, user_id="ada")

    assert report.imported == 1
    assert connection.execute("SELECT to_regclass('memd_turns')").fetchone() == (None,)
    with pytest.raises(NotFound):
        PostgresStore(postgres, create=False)


def test_L16_an_id_that_another_process_adds_meanwhile_leaves_nothing_added(
    opened: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.add([item("known", "first")])
    monkeypatch.setattr(table, "known", lambda *_: set())

    with pytest.raises(ValueError, match="nothing was added"):
        opened.add([item("new", "second"), item("known", "second")])

    assert [(one.id, one.content) for one in opened.list(ADA)] == [("known", "first")]


def test_L25_many_turns_go_in_by_as_many_statements_as_few(
    opened: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[int] = []
    plain = psycopg.Cursor.execute

    def noted(self: psycopg.Cursor, statement: object, *values: object, **more: object) -> object:
        said[-1] += 1
        return plain(self, statement, *values, **more)  # type: ignore[arg-type]  # as it came

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    for count in (1, 2_000):
        said.append(0)
        opened.add([item(f"{count} {n}") for n in range(count)])

    assert said[0] == said[1] > 0
    assert len(opened.list(ADA)) == 2_001


def test_LS27_an_import_into_a_server_stores_each_turn_once(opened: PostgresStore, tmp_path: Path) -> None:
    lines = [f'{{"role": "user", "content": "text {n}"}}\n' for n in range(1_200)]
    (tmp_path / "turns.jsonl").write_text("".join(lines))

    reports = [import_history(tmp_path, opened, user_id="ada") for _ in range(3)]

    assert [one.imported for one in reports] == [1_200, 0, 0]
    assert [one.content for one in opened.list(ADA)] == [f"text {n}" for n in range(1_200)]


def test_LS22_a_url_means_a_store(postgres: str) -> None:
    memory = Memory(postgres)
    memory.add("The key hangs in the shed.", user_id="zoe")

    found = memory.search("where is the key?", user_id="zoe")

    assert "shed" in found.text
    assert memory.delete_all(user_id="zoe") == 1
    assert isinstance(memory.store, api.PostgresStore)
    memory.store.close()


@pytest.mark.parametrize(
    "given", [{"id": "a\0b"}, {"id": "a" * 2_001}, {"user": "é" * 1_001}, {"run_id": "\0"}]
)
def test_LS22_ids_that_the_database_cannot_hold_are_refused(
    opened: PostgresStore, given: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match="nothing was added"):
        opened.add([item("1"), item(**({"id": "2"} | given))])  # type: ignore[arg-type]  # by name

    assert opened.list(ADA) == []
    assert opened.get("a\0b") is None
    assert opened.known(["a\0b", "1"]) == set()


def test_LS22_long_ids_and_texts_with_nuls_are_kept_and_found(opened: PostgresStore) -> None:
    text = "\0a\0\0 deploy " + "of many words " * 40_000 + "\0"

    opened.add([item("é" * 1_000, text)])

    (found,) = opened.list(ADA)
    assert (found.id, found.content) == ("é" * 1_000, text)
    with opened.view(ADA) as view:
        assert [hit.item.id for hit in view.ranked("Deploy!", 9)] == [found.id]


def test_LS02_nothing_of_whose_turns_they_were_is_left_behind(
    opened: PostgresStore, name: str, connection: psycopg.Connection
) -> None:
    opened.add([item(str(n), minutes=n * 900, run_id=f"r{n % 3}") for n in range(9)])

    opened.delete_scope(ADA)

    for made in (name, f"{name}_day"):
        assert connection.execute(f"SELECT count(*) FROM {made}".encode()).fetchone() == (0,)


def test_LS35_questions_about_many_turns_are_answered_by_the_indexes(
    opened: PostgresStore,
    name: str,
    connection: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for at in range(0, 12_000, 2_000):
        opened.add(
            [
                item(str(n), f"word{n % 1999} and more", minutes=n, user=f"user {n % 7}", run_id=f"r{n % 60}")
                for n in range(at, at + 2_000)
            ]
        )
    connection.execute(f"ANALYZE {name}, {name}_day".encode())
    asked: list[tuple[str, Sequence[object] | None]] = []
    plain = driver.run

    def noted(
        of: driver.Connection, statement: str, values: Sequence[object] | None = ()
    ) -> psycopg.Cursor[driver.Row]:
        asked.append((statement, values))
        return plain(of, statement, values)

    for module in (days, ranking, table, view):
        monkeypatch.setattr(module, "run", noted)
    with opened.view(Scope("user 3"), since=START + timedelta(days=1)) as looked:
        assert looked.extent().turns > 1_000
        looked.ranked("word7", 50)
        looked.marked(["word7"], 9)
        looked.around(["1711"])
        looked.spread(9)

    plans = {
        statement: "\n".join(str(line) for (line,) in plain(connection, f"EXPLAIN {statement}", values))
        for statement, values in asked
    }
    assert len(plans) > 8
    assert not [plan for plan in plans.values() if "Seq Scan" in plan]
    assert any(f"{name}_words" in plan for plan in plans.values())


def test_R12_secrets_of_an_address_are_told_to_nobody() -> None:
    for address in (
        "postgresql://ada:hunter2@localhost:1/db",
        "host=localhost port=1 user=ada password='hunter2'",
        "postgresql://ada@localhost:1/db?password=hunter2",
        "postgresql://ada:hunter2@localhost:1/db?wrong=hunter2",
    ):
        with pytest.raises((StorageFailed, Busy, ValueError)) as caught:
            PostgresStore(address)

        told = "".join(traceback.format_exception(caught.value))
        assert "hunter2" not in str(caught.value)
        assert "hunter2" not in told.replace(repr(address), "")
