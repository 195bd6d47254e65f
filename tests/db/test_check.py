"""R7: what derives from turns and entries is checked against them, and made anew from them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memd.db import check, fts
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS
from memd.memory import table as entry_table
from memd.memory.entry import Draft
from memd.turns import spaces, table
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        db.write_now(spaces.ensure, "hash", 384)
        store(db, [turn(n, f"word{n} of the turn") for n in range(700)])
        db.write_now(table.queue_vectors)
        db.write_now(lambda c: spaces.put(c, 1, [(n, [bytes(384)]) for n in range(1, 101)]))
        db.write_now(curate)
        yield db


def curate(connection: Connection) -> None:
    """Entries and a native file of some sections; those of even numbers have vectors."""
    for n in range(1, 41):
        entry_table.insert(connection, Draft(f"entry{n} holds" if n != 7 else "部署方案"), n)
    connection.execute("INSERT INTO native_file VALUES (1, '/m/A.md', '-m', 'A.md', NULL, 1, 2, 3, 4)")
    connection.executemany(
        "INSERT INTO native_section (file_id, position, heading, content) VALUES (1, ?, '', ?)",
        [(n, f"section{n} says") for n in range(1, 11)],
    )
    spaces.put(connection, 1, [(n, [bytes(384)]) for n in range(2, 41, 2)], ENTRIES)
    spaces.put(connection, 1, [(n, [bytes(384)]) for n in range(2, 11, 2)], SECTIONS)


def faults(db: Database) -> list[str]:
    checks = asyncio.run(db.apart(lambda connection, over: check.faults(connection, 1)))
    return [one.name for one in checks if not one.ok]


def repair(db: Database) -> None:
    """As the method ``repair`` does it."""
    after, last = 0, db.write_now(check.clear_index)
    while (following := db.write_now(check.fill_index, after, last)) is not None:
        after = following
    db.write_now(check.mend)
    db.write_now(spaces.queue_lost, 1)


def found(connection: Connection, word: str, index: str = "turn_fts") -> int:
    return int(connection.execute(f"SELECT count(*) FROM {index} WHERE {index} MATCH ?", (word,)).get)


def test_texts_that_wait_for_their_vectors_are_no_fault(db: Database) -> None:
    assert faults(db) == []


@pytest.mark.parametrize(
    ("damage", "names"),
    [
        (
            "UPDATE turn_fts_data SET block = zeroblob(length(block))"
            " WHERE id = (SELECT max(id) FROM turn_fts_data)",
            ["text index"],
        ),
        ("DELETE FROM turn_fts WHERE rowid = 7", ["text index against turns"]),
        (
            "INSERT INTO turn_fts (rowid, text) VALUES (9999, 'nobody said this')",
            ["text index against turns"],
        ),
        ("UPDATE session SET turns = 3", ["sessions against turns"]),
        ("DELETE FROM vector WHERE content_id = 5", ["texts against vectors"]),
        (
            "INSERT INTO vector (space_id, content_id, part, embedding) VALUES (1, 9999, 0, zeroblob(384))",
            ["vectors against texts"],
        ),
        (
            "UPDATE entry_fts_data SET block = zeroblob(length(block))"
            " WHERE id = (SELECT max(id) FROM entry_fts_data)",
            ["entry index"],
        ),
        ("DELETE FROM entry_fts WHERE rowid = 7", ["entry index against entries"]),
        ("INSERT INTO entry_fts (rowid, text) VALUES (99, 'nobody')", ["entry index against entries"]),
        ("DELETE FROM native_fts WHERE rowid = 3", ["native index against sections"]),
        ("DELETE FROM entry_vector WHERE entry_id = 4", ["entries against vectors"]),
        ("DELETE FROM entry_backlog WHERE entry_id = 5", ["entries against vectors"]),
        ("DELETE FROM native_backlog WHERE section_id = 5", ["sections against vectors"]),
        (
            "INSERT INTO entry_vector (space_id, entry_id, part, embedding) VALUES (1, 99, 0, zeroblob(384))",
            ["vectors against entries"],
        ),
        (
            "INSERT INTO native_vector (space_id, section_id, part, embedding) VALUES (1, 99, 0, zeroblob(384))",
            ["vectors against sections"],
        ),
    ],
)
def test_what_differs_is_found_and_made_anew(db: Database, damage: str, names: list[str]) -> None:
    other = apsw.Connection(str(db.path))  # another program, which minds no foreign keys
    other.execute(damage)
    other.close()
    assert faults(db) == names

    repair(db)

    assert faults(db) == []
    assert db.read_now(found, "word7") == 1
    assert db.read_now(found, "nobody") == 0
    assert db.read_now(found, "部署", "entry_fts") == 1
    assert db.read_now(found, "section3", "native_fts") == 1
    assert db.read_now(found, "nobody", "entry_fts") == 0


def test_what_is_stored_while_the_index_is_made_anew_is_in_it_once(db: Database) -> None:
    last = db.write_now(check.clear_index)
    after = db.write_now(check.fill_index, 0, last)
    store(db, [turn(5000, "written meanwhile")])
    while after is not None:
        after = db.write_now(check.fill_index, after, last)

    assert faults(db) == []
    assert db.read_now(found, "meanwhile") == 1


def test_how_far_it_is_can_be_told(db: Database) -> None:
    told: list[int] = []
    checks = db.read_now(check.faults, 1, told.append)

    assert told == list(range(1, len(checks) + 1))
    assert db.read_now(check.indexed) == (750, 750)
    db.write_now(fts.remove, [1])
    assert db.read_now(check.indexed) == (750, 749)
