"""Review (MC32): what is due, and when it no longer is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import review, writer
from memd.memory.entry import EntryType, MemoryScope
from memd.memory.review import Options
from memd.memory.scoring import HalfLives
from memd.memory.which import Which
from tests.memory.entries import DAY_MS, NOW, add, project
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


EVERYTHING = Which()


def due(
    db: Database, which: Which = EVERYTHING, *, limit: int = 10, options: Options | None = None
) -> list[str]:
    return [one.entry.content for one in db.read_now(review.due, which, NOW, limit, options)]


@pytest.mark.parametrize(
    ("type", "days", "is_due"),
    [
        ("event", 2.99, False),
        ("event", 3.01, True),
        ("task", 3.01, True),
        ("fact", 89.9, False),
        ("fact", 90.1, True),
        ("insight", 90.1, True),
        ("procedure", 179.9, False),
        ("procedure", 180.1, True),
    ],
)
def test_mc32_an_entry_is_due_after_the_half_life_of_its_class(
    db: Database, type: EntryType, days: float, is_due: bool
) -> None:
    add(db, "x", type=type, days=days)

    assert bool(due(db)) is is_due


def test_mc32_the_least_recalled_comes_first_with_its_recall(db: Database) -> None:
    add(db, "a fact", days=180)
    add(db, "an event", type="event", days=12)
    add(db, "a procedure", type="procedure", days=270)

    found = db.read_now(review.due, Which(), NOW, 10)

    assert [(one.entry.content, one.recall) for one in found] == [
        ("an event", pytest.approx(1 / 16)),
        ("a fact", pytest.approx(1 / 4)),
        ("a procedure", pytest.approx(0.5**1.5)),
    ]
    assert due(db, limit=1) == ["an event"]


def test_mc32_a_review_is_the_new_anchor(db: Database) -> None:
    entry = add(db, "x", days=400)

    db.write_now(writer.review, entry, NOW - 89 * DAY_MS)
    assert due(db) == []

    db.write_now(writer.review, entry, NOW - 91 * DAY_MS)
    assert due(db) == ["x"]


def test_mc32_mc15_dead_and_unimportant_entries_are_not_due(db: Database) -> None:
    add(db, "dead", days=400, dead=True)
    add(db, "trivial", days=400, importance=4)
    add(db, "important enough", days=400, importance=5)

    assert due(db) == ["important enough"]


def test_mc32_the_thresholds_are_settings(db: Database) -> None:
    add(db, "trivial", days=100, importance=2)
    add(db, "recent", days=31)

    assert due(db, options=Options(min_importance=2)) == ["trivial"]
    assert due(db, options=Options(threshold=0.8)) == ["recent"]
    assert due(db, options=Options(half_lives=HalfLives(semantic=30))) == ["recent"]


def test_only_entries_of_the_scope_are_due(db: Database) -> None:
    app, two = project(db, "/app"), project(db, "/two")
    add(db, "of app", days=400, scope=MemoryScope(app))
    add(db, "of two", days=300, scope=MemoryScope(two))
    add(db, "of all", days=200)

    assert due(db, Which(projects=[app])) == ["of app", "of all"]


def test_what_was_seen_in_the_future_is_not_due(db: Database) -> None:
    add(db, "x", days=-400)

    assert due(db, options=Options(threshold=0.99)) == []
