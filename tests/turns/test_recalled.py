"""The SQL of recall: which turns a scope holds, and that no answer looks at all of a large one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.turns import recalled
from memd.turns.search import Question
from tests.rows import START_MS, database, store, turn

ALL = Question("anything")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(
            db,
            [turn(n, f"turn {n} of one", session="s1", role=("user", "assistant")[n % 2]) for n in range(6)],
        )
        store(db, [turn(n, f"turn {n} of two", session="s2") for n in range(10, 13)], cwd="/home/dev/b")
        yield db


def test_a_scope_is_given_whole_or_not_at_all(db: Database) -> None:
    rows = db.read_now(recalled.whole, ALL, 9, 10_000)

    assert rows is not None
    assert len(rows) == 9
    assert db.read_now(recalled.whole, ALL, 8, 10_000) is None
    assert db.read_now(recalled.whole, ALL, 9, 50) is None


def test_the_size_of_a_small_scope_is_exact(db: Database) -> None:
    found = db.read_now(recalled.size, ALL)

    assert (found.turns, found.sessions, found.bytes, found.exact) == (9, 2, 6 * 13 + 3 * 14, True)


def test_the_size_of_a_large_scope_is_estimated_from_some_of_it(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalled, "MEASURED_TURNS", 5)

    found = db.read_now(recalled.size, ALL)

    assert (found.turns, found.sessions, found.exact) == (9, 2, False)
    assert abs(found.bytes - 120) < 12


def test_turns_outside_the_time_are_listed_and_counted_but_not_given(db: Database) -> None:
    late = Question("anything", since_ms=START_MS + 10_000)

    assert len(db.read_now(recalled.whole, late, 100, 10_000) or ()) == 3
    assert len(db.read_now(recalled.listed, late, 100) or ()) == 9
    assert db.read_now(recalled.listed, late, 8) is None
    assert db.read_now(recalled.counts, late) == (3, 6)


def test_the_turns_around_are_those_of_the_session_and_the_scope(db: Database) -> None:
    db.write_now(lambda c: c.execute("UPDATE turn SET hidden = 1 WHERE id = 's1-3'").fetchall())

    found = db.read_now(recalled.around, ALL, ["s1-0", "s1-2", "s2-12"])

    ids = {id: tuple(row.id if row else None for row in pair) for id, pair in found.items()}
    assert ids == {"s1-0": (None, "s1-1"), "s1-2": ("s1-1", "s1-4"), "s2-12": ("s2-11", None)}


def test_a_spread_of_all_is_all_and_a_smaller_one_has_early_and_late_turns(db: Database) -> None:
    store(db, [turn(n, f"turn {n}", session=f"t{n // 5}") for n in range(20, 220)])

    assert len(db.read_now(recalled.spread, ALL, 500)) == 209
    few = {row.session for row in db.read_now(recalled.spread, ALL, 24)}
    assert {"s1", "t43"} <= few


def test_a_project_is_a_scope(db: Database) -> None:
    here: int = db.read_now(lambda c: c.execute("SELECT id FROM project WHERE path = '/home/dev/b'").get)

    rows = db.read_now(recalled.whole, Question("anything", project_ids=[here]), 100, 10_000)

    assert rows is not None
    assert {row.session for row in rows} == {"s2"}
    assert db.read_now(recalled.spread, Question("anything", project_ids=[here]), 100) == rows
