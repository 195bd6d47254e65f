"""Signs of tokens: stored beside the vectors of a text, and gone with them, whatever takes those away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memd.db import check, driver, migrate, token_signs, vectors
from memd.db.database import Database
from memd.db.driver import Connection
from memd.turns import forget, serving
from tests.db import schemas
from tests.rows import database, store, turn

TEXTS = {1: [b"\x0f", b"\xf0"], 2: [b"\x01"]}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(n, f"text {n}") for n in TEXTS])
        db.write_now(fill)
        yield db


def fill(connection: Connection) -> None:
    connection.execute("INSERT INTO space (id, key, dim, state) VALUES (1, 'test', 8, 'serving')")
    vectors.put(connection, 1, [(text, [bytes(8)] * len(windows)) for text, windows in TEXTS.items()])
    token_signs.put(connection, 1, list(TEXTS.items()))


def stored(db: Database) -> int:
    return int(db.read_now(lambda c: c.execute("SELECT count(*) FROM token_signs").get))


def test_the_signs_of_every_window_of_a_text_are_read(db: Database) -> None:
    found = db.read_now(token_signs.of, 1, [1, 2, 3])

    assert sorted(found) == [(1, b"\x0f"), (1, b"\xf0"), (2, b"\x01")]
    assert db.read_now(token_signs.of, 2, [1, 2]) == []


def test_new_vectors_of_a_text_take_the_old_signs_away(db: Database) -> None:
    db.write_now(lambda c: vectors.put(c, 1, [(1, [bytes(8)])]))

    assert db.read_now(token_signs.of, 1, [1, 2]) == [(2, b"\x01")]


def test_vectors_that_were_stored_before_there_were_signs_are_counted_until_they_are_passed(
    db: Database,
) -> None:
    assert db.read_now(token_signs.waiting, 1) == 0

    db.write_now(lambda c: c.execute("UPDATE space SET older = (SELECT max(id) FROM vector)"))
    before = db.read_now(token_signs.waiting, 1)
    [(vector, _, _)] = db.read_now(token_signs.older, 1, 1)
    db.write_now(token_signs.pass_over, 1, vector)

    assert (before, db.read_now(token_signs.waiting, 1)) == (3, 2)
    assert db.read_now(token_signs.waiting, 2) == 0


def test_a_text_without_vectors_gets_no_signs(db: Database) -> None:
    db.write_now(token_signs.put, 1, [(7, [b"\x0f"])])

    assert stored(db) == 3


def drop(connection: Connection) -> None:
    connection.execute("UPDATE space SET retired_ms = 1")
    while serving.drop_retired(connection):
        pass


@pytest.mark.parametrize(
    "taken",
    [
        lambda c: forget.remove(c, forget.rows_of(c, ["s1-1", "s1-2"])),
        drop,
        lambda c: c.execute("DELETE FROM vector").fetchall(),
    ],
    ids=["forgotten", "reindexed", "vectors gone"],
)
def test_no_sign_is_left_of_what_is_gone(db: Database, taken: Callable[[Connection], object]) -> None:
    assert stored(db) == 3

    db.write_now(taken)

    assert stored(db) == 0


def test_signs_of_no_vector_are_a_fault_that_is_mended(db: Database) -> None:
    with closing(driver.connect(db.path, write=True)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("INSERT INTO token_signs VALUES (99, x'00')")
        faults = [one.name for one in check.faults(connection, None) if not one.ok]
        check.mend(connection)

        assert faults == ["token signs against vectors"]
        assert all(one.ok for one in check.faults(connection, None))


def test_after_the_upgrade_the_vectors_of_before_wait_for_signs_and_later_ones_do_not(tmp_path: Path) -> None:
    path = tmp_path / "memd.db"
    with closing(driver.connect(path, write=True)) as connection:
        schemas.load(connection, 7)
        migrate.migrate(connection, path, tmp_path / "backups")
        vectors.put(connection, 1, [(3, [bytes(8)])])

        assert token_signs.older(connection, 1, 9) == [(1, 1, schemas.TEXTS[0])]
        assert not token_signs.is_behind(connection, 2)

        token_signs.pass_over(connection, 1, 1)
        assert not token_signs.is_behind(connection, 1)
