"""The nearest entries: filters hold inside the search, whatever stands nearer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memd.db import driver, vectors
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, TEXTS, Among
from memd.db.vectors import Vectors
from memd.memory import nearest
from memd.memory.which import LIVE
from tests.memory import entries
from tests.rows import database

DIM = 64


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        db.write_now(
            lambda c: c.execute(f"INSERT INTO space (id, key, dim) VALUES (1, 'test', {DIM})").fetchall()
        )
        yield db


def around(centre: np.ndarray, distance: float, draw: np.random.Generator) -> np.ndarray:
    found = centre + distance * draw.normal(size=DIM) / np.sqrt(DIM)
    return (found / np.linalg.norm(found)).astype(np.float32)


def crowd(db: Database, dead: int) -> tuple[np.ndarray, int]:
    """A question, as many dead entries right beside it, and one live entry farther off."""
    draw = np.random.default_rng(7)
    question = around(np.zeros(DIM), 1.0, draw)
    for n in range(dead):
        entries.place(db, 1, entries.add(db, f"dead {n}", dead=True), around(question, 0.2, draw))
    live = entries.add(db, "live")
    entries.place(db, 1, live, around(question, 0.9, draw))
    return question, live


def test_mc06_w2_one_live_entry_is_found_behind_thirty_dead_ones_that_are_nearer(db: Database) -> None:
    question, live = crowd(db, 30)

    assert [one for one, _ in db.read_now(nearest.nearest, 1, question, 20, LIVE, ())] == [live]
    assert len(db.read_now(nearest.nearest, 1, question, 20, "1", ())) == 20


@pytest.mark.parametrize("few", [True, False])
def test_mc06_w2_so_it_is_where_the_signs_pick_the_candidates(
    db: Database, monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    for limit in (
        "RESIDENT_ROWS",
        "CANDIDATES",
        "FILTERED_CANDIDATES",
        "MOST_CANDIDATES",
        "OVERSAMPLED",
        "FILLING_CANDIDATES",
    ):
        monkeypatch.setattr(vectors, limit, 1)
    question, live = crowd(db, 60)
    among = Among(LIVE, (), few=few, fill=20)

    found = db.read_now(Vectors().nearest, 1, question, 20, among, ENTRIES)

    assert [one for one, _ in found] == [live]


def test_mc02_w30_without_sqlite_vec_the_nearest_are_the_same(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, _ = crowd(db, 30)
    with_it = db.read_now(nearest.nearest, 1, question, 10, "1", ())

    monkeypatch.setattr(driver, "has_vec", lambda connection: False)

    assert db.read_now(nearest.nearest, 1, question, 10, "1", ()) == with_it


def test_turns_and_entries_of_equal_numbers_do_not_mix(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "RESIDENT_ROWS", 1)
    draw = np.random.default_rng(3)
    here, there = around(np.zeros(DIM), 1.0, draw), around(np.zeros(DIM), 1.0, draw)
    first, second = entries.add(db, "first"), entries.add(db, "second")
    entries.place(db, 1, first, here)
    entries.place(db, 1, second, there)

    def say(connection: Connection) -> None:
        for number, vector in ((first, there), (second, here)):
            connection.execute("INSERT INTO content VALUES (?, ?, 'x')", (number, bytes([number])))
            blob = np.rint(vector * 127).astype(np.int8).tobytes()
            vectors.put(connection, 1, [(number, [blob])], TEXTS)

    db.write_now(say)
    seam = Vectors()

    assert db.read_now(seam.nearest, 1, here, 1, None, ENTRIES)[0][0] == first
    assert db.read_now(seam.nearest, 1, here, 1, None, TEXTS)[0][0] == second
    assert db.read_now(seam.nearest, 1, here, 1, None, ENTRIES)[0][0] == first


def test_an_entry_that_is_embedded_again_has_its_new_vectors_alone(db: Database) -> None:
    draw = np.random.default_rng(5)
    old, new = around(np.zeros(DIM), 1.0, draw), around(np.zeros(DIM), 1.0, draw)
    entry = entries.add(db, "twice")

    entries.place(db, 1, entry, old)
    entries.place(db, 1, entry, new)

    ((_, cosine),) = db.read_now(nearest.nearest, 1, new, 5, "1", ())
    assert cosine == pytest.approx(1, abs=0.01)
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM entry_vector").get) == 1
