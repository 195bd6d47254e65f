"""What is more to say of a store in a file: other processes, other files, names that mean no store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memd.db import driver
from memd.errors import CannotCreate, DataUnusable, StorageFailed
from memd.turns.store import Scope
from memd.turns.stores.in_memory import InMemoryStore
from memd.turns.stores.open import open_store
from memd.turns.stores.sqlite import SQLiteStore
from tests.contracts.test_stores import ADA, item

ADDING = """
import sys
from datetime import datetime, UTC
from memd.turns.store import MemoryItem
from memd.turns.stores.sqlite import SQLiteStore
store = SQLiteStore(sys.argv[1])
for n in range(40):
    store.add([MemoryItem(f"{sys.argv[2]}-{n}", "user", "a text", datetime.now(UTC), user_id="ada")])
"""


def test_LS22_two_processes_open_a_new_file_and_add_to_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "turns.db"

    running = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), name]) for name in "ab"]

    assert [one.wait(60) for one in running] == [0, 0]
    found = SQLiteStore(path).list(ADA)
    assert sorted(one.id for one in found) == sorted(f"{name}-{n}" for name in "ab" for n in range(40))


def test_LS22_turns_are_there_after_the_file_was_closed(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "turns.db")
    store.add([item("1")])
    store.close()

    with pytest.raises(StorageFailed, match="closed"):
        store.get("1")
    assert [one.id for one in SQLiteStore(tmp_path / "turns.db").list(ADA)] == ["1"]
    assert (tmp_path / "turns.db").stat().st_mode & 0o077 == 0


def test_LS22_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "turns.db").close()
    connection = driver.connect(tmp_path / "turns.db", write=True)
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    with pytest.raises(DataUnusable, match="newer memd"):
        SQLiteStore(tmp_path / "turns.db")


def test_LS22_a_database_of_another_kind_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    connection = driver.connect(tmp_path / "other.db", write=True)
    connection.execute("CREATE TABLE turn (id)")
    connection.close()

    with pytest.raises(DataUnusable, match="another kind"):
        SQLiteStore(tmp_path / "other.db")


def test_LS22_a_path_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "turns.db", tmp_path):
        with pytest.raises(CannotCreate, match=f"{path} cannot be opened"):
            SQLiteStore(path)


def test_LS22_a_name_means_a_store_or_says_so(tmp_path: Path) -> None:
    store = InMemoryStore()

    assert open_store(store) is store
    assert isinstance(open_store(None), InMemoryStore)
    assert isinstance(open_store(tmp_path / "turns.db"), SQLiteStore)
    for name in ("mysql://host/db", "redis+tls://host/db"):
        with pytest.raises(ValueError, match=f"no store for {name.split(':')[0].replace('+', '.')}://"):
            open_store(name)


def test_LS22_what_another_connection_writes_is_seen_at_once(tmp_path: Path) -> None:
    one, other = SQLiteStore(tmp_path / "turns.db"), SQLiteStore(tmp_path / "turns.db")
    sizes = []

    for n in range(3):
        (one, other)[n % 2].add([item(str(n), f"word{n}")])
        with one.view(ADA) as view:
            sizes.append((view.extent().turns, len(view.ranked(f"word{n}", 9))))

    assert sizes == [(1, 1), (2, 1), (3, 1)]


def test_LS02_two_stores_in_memory_share_nothing() -> None:
    one, other = InMemoryStore(), InMemoryStore()
    one.add([item("1")])

    assert other.list(Scope(user_id="ada")) == []
