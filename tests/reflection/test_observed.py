"""What observations led to, and what of it reflection has seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory.entry import MemoryScope
from memd.reflection import observed, watermark
from memd.reflection.watermark import Watermark
from tests.memory.entries import add, project
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def listed(db: Database, project: int | None = None, limit: int = 100) -> list[tuple[str, bool]]:
    found = db.read_now(observed.listing, project, limit)
    return [(entry.content, seen) for entry, seen in found]


def mark(db: Database, entry: int, project: int | None = None) -> None:
    db.write_now(
        lambda c: c.execute(
            "INSERT INTO watermark (project_id, entry_id, at_ms) VALUES (?, ?, 1)", (project, entry)
        )
    )


def test_observations_are_listed_newest_first_dead_ones_too_and_insights_not(db: Database) -> None:
    """MC24: without a watermark none is observed."""
    add(db, "one", dead=True)
    add(db, "a pattern", type="insight")
    add(db, "two")

    assert listed(db) == [("two", False), ("one", False)]
    assert listed(db, limit=1) == [("two", False)]


def test_what_lies_at_or_below_the_watermark_is_reflected(db: Database) -> None:
    """MC24: all projects are judged by the watermark of all."""
    app = project(db, "/home/dev/app")
    first = add(db, "one", scope=MemoryScope(app))
    second = add(db, "two")
    add(db, "three")
    mark(db, second)
    mark(db, first, app)

    assert listed(db) == [("three", False), ("two", True), ("one", True)]


def test_a_project_sees_global_entries_and_its_own_by_its_own_watermark(db: Database) -> None:
    """MC24: one without a watermark has seen none, whatever that of all says."""
    app, other = project(db, "/home/dev/app"), project(db, "/home/dev/other")
    everywhere = add(db, "everywhere")
    add(db, "elsewhere", scope=MemoryScope(other))
    here = add(db, "here", scope=MemoryScope(app, "wip"))
    mark(db, here)
    mark(db, everywhere, app)

    assert listed(db, app) == [("here", False), ("everywhere", True)]
    assert listed(db, other) == [("elsewhere", False), ("everywhere", False)]


def test_what_waits_for_a_reflection_is_not_reflected(db: Database) -> None:
    """W11, W12: what lies before the days that a first one read, and what was seen once more since."""
    for text in ("before its days", "in its days", "in its days, and seen again"):
        last = add(db, text)
    db.write_now(watermark.put, None, Watermark(last, 1, floor=1))
    db.write_now(lambda c: c.execute("UPDATE entry SET sightings = 2 WHERE id = ?", (last,)))

    assert [seen for _, seen in listed(db)] == [False, True, False]


def test_projects_are_those_of_observations_by_the_alphabet(db: Database) -> None:
    """MC24: global entries and insights name none."""
    for path, type_ in (("/x/beta", "fact"), ("/x/Alpha", "task"), ("/x/gamma", "insight")):
        add(db, f"of {path}", type=type_, scope=MemoryScope(project(db, path)))
    add(db, "everywhere")

    assert db.read_now(observed.projects) == ["Alpha", "beta"]
