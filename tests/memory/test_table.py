"""Rows of entries: what a write does to them shows in the index and in the vectors, whoever wrote."""

from __future__ import annotations

from pathlib import Path

from memd.db import driver, migrate
from memd.db.database import Database
from memd.memory import nearest, table
from tests.memory import entries
from tests.rows import database


def indexed(db: Database, word: str) -> list[int]:
    rows = db.read_now(
        lambda c: c.execute("SELECT rowid FROM entry_fts WHERE entry_fts MATCH ?", (word,)).fetchall()
    )
    return [driver.number(row) for (row,) in rows]


def vectors_of(db: Database, entry: int) -> int:
    return driver.number(
        db.read_now(lambda c: c.execute("SELECT count(*) FROM entry_vector WHERE entry_id = ?", (entry,)).get)
    )


def test_mc01_opening_again_changes_nothing_and_writes_go_through_a_wal(tmp_path: Path) -> None:
    with database(tmp_path) as db:
        entry = entries.add(db, "the cache lives in Redis")
    with database(tmp_path) as db:
        assert db.read_now(migrate.version) == migrate.newest()
        assert db.read_now(lambda c: c.execute("PRAGMA journal_mode").get) == "wal"
        kept = db.read_now(table.get, entry)

    assert kept and kept.content == "the cache lives in Redis"


def test_mc01_the_index_and_the_vectors_follow_every_write(tmp_path: Path) -> None:
    with database(tmp_path) as db:
        space = entries.space(db)
        entry = entries.add(db, "the cache lives in Redis")
        db.write_now(nearest.put, space, entry, [bytes(8)])
        assert (indexed(db, "redis"), vectors_of(db, entry)) == ([entry], 1)

        db.write_now(table.reword, entry, "the cache lives in Valkey")
        assert (indexed(db, "redis"), indexed(db, "valkey"), vectors_of(db, entry)) == ([], [entry], 0)

        db.write_now(nearest.put, space, entry, [bytes(8)])
        db.write_now(lambda c: c.execute("DELETE FROM entry WHERE id = ?", (entry,)))
        assert (indexed(db, "valkey"), vectors_of(db, entry)) == ([], 0)
