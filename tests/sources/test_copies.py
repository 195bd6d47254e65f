"""Backups and damaged databases: which hold what was forgotten, and what becomes of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memd.db import driver
from memd.db.database import Database
from memd.db.driver import Connection
from memd.sources import copies, forgetting
from memd.turns import forget, tombstones
from tests.db import schemas
from tests.rows import database, store, turn

NAME = "memd-20260101T000000Z.db"
NO_PAGES = b"SQLite format 3\0" + b"quokka " * 1000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(1, "the quokka"), turn(2, "other words")])
        (tmp_path / "backups").mkdir()
        yield db


def copy_of(db: Database, path: Path) -> Path:
    with closing(driver.connect(db.path, write=False)) as connection:
        driver.copy(connection, path, lambda done, whole: None)
    return path


def keys(db: Database) -> set[bytes]:
    return db.read_now(tombstones.all_of)


def forget_quokka(db: Database) -> None:
    db.write_now(lambda c: forgetting.remove(c, forget.rows_of(c, ["s1-1"])))


def test_the_copies_are_the_backups_and_what_was_set_aside(db: Database, tmp_path: Path) -> None:
    names = [f"backups/{NAME}", "backups/before-schema-9-from-8.db", "memd.db.corrupt-20260101T000000Z"]
    for name in [*names, "backups/mine.txt", "memd.db.corrupt-20260101T000000Z-wal"]:
        (tmp_path / name).write_bytes(b"")

    assert {str(path.relative_to(tmp_path)) for path in copies.listing(db.path)} == set(names)


def test_a_copy_by_any_name_in_the_folder_of_backups_is_one(db: Database, tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    named = [copy_of(db, backups / name) for name in ("before-the-move", "x.db")]
    copy_of(db, backups / "growing.db.part")
    (backups / "a-link.db").symlink_to(named[1])
    (backups / "not-ours.db").write_bytes(NO_PAGES)
    with closing(driver.connect(backups / "theirs.db", write=True)) as connection:
        connection.execute("CREATE TABLE turn (id)")
    forget_quokka(db)

    assert copies.listing(db.path) == named
    assert [copies.cleanse(copy, keys(db)) for copy in named] == ["rewritten"] * 2
    assert all(b"quokka" not in copy.read_bytes() for copy in named)


def test_a_copy_is_rewritten_without_what_was_forgotten(db: Database, tmp_path: Path) -> None:
    copy = copy_of(db, tmp_path / "backups" / NAME)
    os.utime(copy, ns=(5, 5))
    forget_quokka(db)
    assert copies.hold(copy, ["s1-1"], ())

    assert copies.cleanse(copy, keys(db)) == "rewritten"

    assert not copies.hold(copy, ["s1-1"], ()) and copies.hold(copy, ["s1-2"], ())
    assert b"quokka" not in copy.read_bytes()
    assert copy.stat().st_mtime_ns == 5
    assert [path.name for path in copy.parent.iterdir()] == [NAME]
    assert copies.cleanse(copy, keys(db)) is None


def test_a_copy_that_holds_nothing_of_it_is_left_alone(db: Database, tmp_path: Path) -> None:
    forget_quokka(db)
    copy = copy_of(db, tmp_path / "backups" / NAME)
    before = copy.read_bytes()

    assert copies.cleanse(copy, keys(db)) is None
    assert copy.read_bytes() == before


def test_a_copy_of_another_schema_goes_where_it_holds_something(tmp_path: Path) -> None:
    copy = tmp_path / "before-schema-2-from-1.db"
    with closing(driver.connect(copy, write=True)) as connection:
        schemas.load(connection, 1)

    assert copies.cleanse(copy, {tombstones.of_turn("another")}) is None
    assert copy.exists()
    assert copies.cleanse(copy, {tombstones.of_turn("turn-1")}) == "removed"
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_copy_holds_it_for_all_one_knows_and_goes(tmp_path: Path) -> None:
    copy = tmp_path / "memd.db.corrupt-20260101T000000Z"
    copy.write_bytes(NO_PAGES)
    copy.with_name(copy.name + "-wal").write_bytes(b"quokka")

    assert copies.hold(copy, ["s1-1"], ())
    assert copies.cleanse(copy, {tombstones.of_turn("s1-1")}) == "removed"
    assert list(tmp_path.iterdir()) == []


def test_a_database_brought_back_forgets_again(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "forgotten"
    old = copy_of(db, tmp_path / "old.db")
    forget_quokka(db)
    assert db.write_now(forgetting.level, file) is False

    def texts(connection: Connection) -> list[object]:
        return [text for (text,) in connection.execute("SELECT text FROM content")]

    with closing(driver.connect(old, write=True)) as connection, driver.transaction(connection):
        assert forgetting.level(connection, file) is True
        assert texts(connection) == ["other words"]
        assert forgetting.level(connection, file) is False
