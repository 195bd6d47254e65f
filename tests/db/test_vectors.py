"""The vector seam: exact below the limit, close to exact above it, never stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memd.db import driver, vectors
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import Among
from memd.db.vectors import Vectors
from memd.providers.embedding.quantise import to_blobs
from tests.rows import database

DIM = 384


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def clustered(count: int, seed: int) -> np.ndarray:
    """Vectors around some centres, as texts on some subjects are."""
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(40, DIM))
    rows = centres[draw.integers(0, 40, count)] + draw.normal(size=(count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def fill(connection: Connection, rows: np.ndarray, start: int = 1) -> None:
    connection.execute("INSERT OR IGNORE INTO space (id, key, dim) VALUES (1, 'test', ?)", (DIM,))
    ids = range(start, start + len(rows))
    connection.executemany(
        "INSERT INTO content (id, key, text) VALUES (?, ?, 'x')", [(n, n.to_bytes(16, "big")) for n in ids]
    )
    vectors.put(connection, 1, [(n, [blob]) for n, blob in zip(ids, to_blobs(rows), strict=True)])


def exact(rows: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    return [int(n) + 1 for n in np.argsort(-(rows @ query), kind="stable")[:k]]


def test_a_small_set_is_scanned_exactly(db: Database) -> None:
    rows = clustered(500, 1)
    db.write_now(fill, rows)

    found = [content for content, _ in db.read_now(Vectors().nearest, 1, rows[7], 10)]

    assert found[0] == 8
    assert len(set(found) & set(exact(rows, rows[7], 10))) >= 9


def test_without_sqlite_vec_the_answer_is_the_same(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered(300, 2)
    db.write_now(fill, rows)
    seam = Vectors()
    with_it = [content for content, _ in db.read_now(seam.nearest, 1, rows[3], 5)]

    monkeypatch.setattr(driver, "has_vec", lambda connection: False)

    assert [content for content, _ in db.read_now(seam.nearest, 1, rows[3], 5)] == with_it


def test_the_resident_form_misses_next_to_nothing_and_follows_the_table(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "RESIDENT_ROWS", 1_000)
    rows = clustered(6_000, 3)
    db.write_now(fill, rows[:5_000])
    seam = Vectors()
    queries = clustered(40, 3)

    def recall(stored: np.ndarray) -> float:
        shares = []
        for query in queries:
            found = {content for content, _ in db.read_now(seam.nearest, 1, query, 20)}
            shares.append(len(found & set(exact(stored, query, 20))) / 20)
        return float(np.mean(shares))

    assert recall(rows[:5_000]) >= 0.95
    db.write_now(fill, rows[5_000:], 5_001)
    assert recall(rows) >= 0.95
    best = db.read_now(seam.nearest, 1, queries[0], 1)[0][0]
    db.write_now(lambda c: c.execute("DELETE FROM vector WHERE content_id = ?", (best,)).fetchall())
    assert best not in {content for content, _ in db.read_now(seam.nearest, 1, queries[0], 20)}


def with_turns(connection: Connection, count: int) -> None:
    """A turn for each content; every tenth is an assistant's."""
    connection.execute("INSERT INTO session (id, key, format) VALUES (1, 's', 'x')")
    connection.executemany(
        "INSERT INTO turn (id, session_id, seq, role, content_id) VALUES (?, 1, ?, ?, ?)",
        [(str(n), n, "user" if n % 10 else "assistant", n) for n in range(1, count + 1)],
    )


@pytest.mark.parametrize("few", [True, False])
def test_a_filter_leaves_only_texts_of_turns_that_pass(
    db: Database, monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    monkeypatch.setattr(vectors, "RESIDENT_ROWS", 500)
    monkeypatch.setattr(vectors, "CANDIDATES", 100)
    monkeypatch.setattr(vectors, "FILTERED_CANDIDATES", 100)  # so that more have to be fetched
    rows = clustered(3_000, 4)
    db.write_now(fill, rows)
    db.write_now(with_turns, 3_000)

    found = db.read_now(Vectors().nearest, 1, rows[19], 20, Among("t.role = ?", ("assistant",), few))

    assert found[0][0] == 20
    wanted = [n for n in exact(rows, rows[19], 3_000) if n % 10 == 0][:20]
    assert len({content for content, _ in found} & set(wanted)) >= 18
    assert all(content % 10 == 0 for content, _ in found)


@pytest.mark.parametrize("resident", [10, 10_000])
def test_the_best_window_counts(db: Database, monkeypatch: pytest.MonkeyPatch, resident: int) -> None:
    monkeypatch.setattr(vectors, "RESIDENT_ROWS", resident)
    rows = clustered(40, 5)
    db.write_now(fill, rows)
    windows = to_blobs(np.stack([-rows[0], rows[0]]))
    db.write_now(lambda c: c.execute("INSERT INTO content VALUES (99, x'99', 'y')").fetchall())
    db.write_now(lambda c: vectors.put(c, 1, [(99, windows)]))

    found = db.read_now(Vectors().nearest, 1, rows[0], 50)

    assert {content for content, _ in found[:2]} == {1, 99}
    assert len(found) == 41
    assert found[0][1] == pytest.approx(1, abs=0.01)


def test_spaces_do_not_mix(db: Database) -> None:
    db.write_now(fill, clustered(20, 6))
    db.write_now(lambda c: c.execute("INSERT INTO space (id, key, dim) VALUES (2, 'other', 8)").fetchall())
    db.write_now(lambda c: vectors.put(c, 2, [(3, to_blobs(np.ones((1, 8), np.float32)))]))

    assert db.read_now(Vectors().nearest, 2, np.ones(8, np.float32), 5) == [(3, pytest.approx(1))]
    assert len(db.read_now(Vectors().nearest, 1, np.ones(DIM, np.float32), 50)) == 20
    assert db.read_now(Vectors().nearest, 3, np.ones(DIM, np.float32), 5) == []


def test_the_resident_form_is_released_and_comes_back(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "RESIDENT_ROWS", 10)
    rows = clustered(200, 7)
    db.write_now(fill, rows)
    seam = Vectors()
    before = db.read_now(seam.nearest, 1, rows[5], 5)

    seam.release()

    assert db.read_now(seam.nearest, 1, rows[5], 5) == before


def test_the_cosines_of_given_texts_are_told(db: Database) -> None:
    rows = clustered(30, 8)
    db.write_now(fill, rows)

    told = db.read_now(vectors.cosines, 1, rows[4], [5, 7, 1_000])

    assert told.keys() == {5, 7}
    assert told[5] == pytest.approx(1, abs=0.01)
    assert told[7] == pytest.approx(float(rows[4] @ rows[6]), abs=0.02)
