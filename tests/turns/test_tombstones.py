"""What is forgotten does not come back, and its tombstone tells nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.turns import tombstones
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def test_a_turn_with_a_tombstone_is_not_stored(db: Database) -> None:
    db.write_now(tombstones.lay, [tombstones.of_turn("s1-1")])

    new = store(db, [turn(1, "forgotten"), turn(2, "kept")])

    assert new == ["s1-2"]
    assert db.read_now(lambda c: c.execute("SELECT text FROM content").fetchall()) == [("kept",)]


def test_a_tombstone_holds_no_text(db: Database) -> None:
    db.write_now(tombstones.lay, [tombstones.of_turn("quokka"), tombstones.of_title("quokka")])

    keys = [bytes(key) for (key,) in db.read_now(lambda c: c.execute("SELECT key FROM tombstone").fetchall())]

    assert [len(key) for key in keys] == [16, 16]
    assert not any(b"quokka" in key for key in keys)


def test_a_tombstone_is_laid_once(db: Database) -> None:
    for _ in range(2):
        db.write_now(tombstones.lay, [tombstones.of_turn("a")])

    assert db.read_now(tombstones.forgotten, ["a", "b"]) == {"a"}
    assert not db.read_now(tombstones.is_untitled, "a")
