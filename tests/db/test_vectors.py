"""The vector seam: exact below the limit, close to exact above it, never stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memd.db import driver, vectors
from memd.db.database import Database
from memd.db.driver import Connection
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
    vectors.add(connection, 1, [(n, [blob]) for n, blob in zip(ids, to_blobs(rows), strict=True)])


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
