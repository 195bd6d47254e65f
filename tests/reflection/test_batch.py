"""What a reflection reads next, and that no entry is skipped for ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.db.database import Database
from memd.memory import writer
from memd.memory.entry import Draft, MemoryScope
from memd.reflection import batch, gate, watermark
from memd.reflection.batch import Batch
from memd.reflection.watermark import Watermark
from tests.memory.entries import DAY_MS, NOW, add, project
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def read(
    db: Database, limit: int = 50, project: int | None = None, days: int | None = None, first: int = 50
) -> list[str]:
    """Read a batch, or the first of it, as a reflection does: the watermark moves to behind it."""
    taken = take(db, limit, project, days)
    taken = taken.first(min(first, len(taken.entries)))
    db.write_now(watermark.put, project, taken.after)
    return [entry.content for entry in taken.entries]


def take(db: Database, limit: int = 50, project: int | None = None, days: int | None = None) -> Batch:
    since_ms = None if days is None else NOW - days * DAY_MS
    return db.read_now(batch.take, project, limit, now_ms=NOW, since_ms=since_ms)


def see(db: Database, content: str) -> None:
    """Say once more what is known."""
    done = db.write_now(writer.store, Draft(content), None, NOW)
    assert isinstance(done, writer.Refreshed)


def test_entries_are_read_once_each_in_batches(db: Database) -> None:
    for number in range(5):
        add(db, f"entry {number}")

    assert [read(db, 2) for _ in range(4)] == [
        ["entry 0", "entry 1"],
        ["entry 2", "entry 3"],
        ["entry 4"],
        [],
    ]


def test_dead_entries_and_insights_are_not_read(db: Database) -> None:
    """W10"""
    add(db, "dead", dead=True)
    add(db, "an insight", type="insight")
    add(db, "alive")

    assert db.read_now(batch.count, None) == 1
    assert read(db) == ["alive"]


def test_what_was_seen_once_more_is_read_again(db: Database) -> None:
    """W12: an old entry keeps its number, and is new to reflection all the same."""
    for text in ("the api runs on port 8080", "tabs are preferred", "deploys go out on tuesdays"):
        add(db, text)
    read(db)
    see(db, "tabs are preferred")

    assert db.read_now(batch.count, None) == 1
    assert read(db) == ["tabs are preferred"]
    assert db.read_now(batch.count, None) == 0


def test_what_was_seen_before_it_was_read_is_read_once(db: Database) -> None:
    add(db, "tabs are preferred")
    see(db, "tabs are preferred")

    assert read(db) == ["tabs are preferred"]
    assert read(db) == []


def test_what_comes_back_to_life_is_read(db: Database) -> None:
    retired = add(db, "tabs are preferred")
    db.write_now(writer.retire, retired, NOW)
    add(db, "another")
    read(db)
    db.write_now(lambda c: c.execute("UPDATE entry SET superseded_ms = NULL WHERE id = ?", (retired,)))

    assert read(db) == ["tabs are preferred"]


def test_sightings_that_have_no_room_wait(db: Database) -> None:
    texts = ["alpha is the first letter", "bravo stands behind it", "charlie closes the row"]
    for text in texts:
        add(db, text)
    read(db)
    for text in texts:
        see(db, text)

    assert [read(db, 2), read(db, 2), read(db, 2)] == [texts[:2], texts[2:], []]


def test_a_first_reflection_begins_with_the_last_days_and_loses_nothing(db: Database) -> None:
    """W11: those before follow, the newest of them first, and what is new goes before them."""
    for number, days in enumerate((90, 60, 30, 3, 1)):
        add(db, f"entry {number}", days=days)

    assert db.read_now(batch.count, None) == 5
    first = read(db, 3, days=7)
    add(db, "new")

    assert first == ["entry 3", "entry 4", "entry 2"]
    assert read(db, 2) == ["new", "entry 1"]
    assert [read(db, 2), read(db, 2)] == [["entry 0"], []]


def test_a_first_reflection_without_anything_in_its_days_reads_what_lies_before(db: Database) -> None:
    """W11: "no unreflected entries" for ever it was."""
    for number in range(3):
        add(db, f"entry {number}", days=30)

    assert db.read_now(gate.why_shut, None) is None
    assert read(db, days=7) == ["entry 2", "entry 1", "entry 0"]


def test_a_project_reads_its_own_and_what_holds_everywhere(db: Database) -> None:
    """MC25: by a watermark of its own."""
    app, other = project(db, "/home/dev/app"), project(db, "/home/dev/other")
    add(db, "everywhere")
    add(db, "elsewhere", scope=MemoryScope(other))
    add(db, "here", scope=MemoryScope(app, "wip"))

    assert read(db, project=app) == ["everywhere", "here"]
    assert read(db, project=app) == []
    assert read(db) == ["everywhere", "elsewhere", "here"]


def test_an_entry_that_moves_to_a_project_is_new_to_it(db: Database) -> None:
    app, other = project(db, "/home/dev/app"), project(db, "/home/dev/other")
    add(db, "moves", scope=MemoryScope(other))
    add(db, "here", scope=MemoryScope(app))
    read(db, project=app)
    db.write_now(lambda c: c.execute("UPDATE entry SET project_id = ?", (app,)))

    assert "moves" in read(db, project=app)


def test_the_gate_opens_for_enough_that_is_new(db: Database) -> None:
    """MC25"""
    for number in range(2):
        add(db, f"entry {number}")

    assert db.read_now(gate.why_shut, None) == gate.TOO_LITTLE
    assert db.read_now(gate.why_shut, None, 2) is None
    assert db.read_now(gate.why_shut, None, 0) is None
    read(db)
    assert db.read_now(gate.why_shut, None, 0) == gate.NOTHING


def test_a_batch_says_how_many_are_left(db: Database) -> None:
    for number in range(5):
        add(db, f"entry {number}")

    assert (take(db, 2).left, take(db, 2).before, take(db, 50).left) == (3, None, 0)
    assert take(db, 3).first(1).left == 4
    read(db, 2)
    assert take(db, 2).before == Watermark(2, NOW, 0, 0)


STEPS = st.lists(st.sampled_from(["add", "see", "kill", "read", "part", "days"]), min_size=1, max_size=30)


@given(STEPS, st.integers(1, 4))
def test_whatever_happens_each_entry_is_read_and_no_watermark_passes_one(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], limit: int
) -> None:
    """MC25: every live entry is read in the end, and again after each time that it was seen."""
    with database(tmp_path_factory.mktemp("batch")) as db:
        owed: set[str] = set()
        words = ["amber", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel"]
        for number, step in enumerate(steps):
            known = db.read_now(lambda c: c.execute("SELECT id, content FROM entry").fetchall())
            if step == "add":
                text = f"{words[number % 8]} {words[number // 8]} {'x' * number}"
                add(db, text, days=number % 20)
                owed.add(text)
            elif step == "see" and known:
                entry, text = known[number % len(known)]
                db.write_now(
                    lambda c, entry=entry: c.execute(
                        "UPDATE entry SET sightings = sightings + 1 WHERE id = ?", (entry,)
                    )
                )
                owed.add(str(text))
            elif step == "kill" and known:
                entry, text = known[number % len(known)]
                db.write_now(writer.retire, entry, NOW)
                owed.discard(str(text))
            elif step in ("read", "part", "days"):
                first = number % 3 if step == "part" else 50
                owed -= set(read(db, limit, days=7 if step == "days" else None, first=first))
        live = {
            str(text)
            for (text,) in db.read_now(
                lambda c: c.execute("SELECT content FROM entry WHERE superseded_ms IS NULL").fetchall()
            )
        }
        while got := read(db, limit):
            owed -= set(got)

        assert not owed & live
        assert db.read_now(batch.count, None) == 0
