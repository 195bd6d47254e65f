"""What may be done to entries, with every outcome (MC14), and what the rows are afterwards (MC12, W6, W9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import table, writer
from memd.memory.entry import Draft, MemoryScope, Source
from memd.memory.writer import (
    AlreadyRetired,
    AlreadySuperseded,
    Created,
    Deleted,
    Merged,
    Missing,
    NothingToMerge,
    Refreshed,
    Retired,
    Reviewed,
    Superseded,
)
from tests.memory.entries import NOW, project
from tests.memory.stored import created, get, live, meaning, store
from tests.rows import DAY_MS, database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


KNOWN = "The build uses a cache"


def test_w6_a_sighting_moves_the_date_and_keeps_the_first(db: Database) -> None:
    """MC12: refreshed, with the higher importance."""
    entry = created(db, KNOWN, importance=4, at_ms=NOW)

    store(db, KNOWN, importance=9, at_ms=NOW + DAY_MS)
    store(db, KNOWN, importance=2, at_ms=NOW + 2 * DAY_MS)

    seen = get(db, entry)
    assert (seen.first_seen_ms, seen.created_ms, seen.sightings) == (NOW, NOW + 2 * DAY_MS, 3)
    assert seen.importance == 9


def test_a_sighting_from_before_moves_the_first_date_alone(db: Database) -> None:
    entry = created(db, KNOWN, at_ms=NOW)

    store(db, "The build uses a shared cache", at_ms=NOW - DAY_MS)

    seen = get(db, entry)
    assert (seen.first_seen_ms, seen.created_ms, seen.sightings) == (NOW - DAY_MS, NOW, 2)
    assert seen.content == KNOWN


def test_w6_the_newer_wording_stays_where_it_says_more(db: Database) -> None:
    entry = created(db, KNOWN, meaning=meaning(db))

    done = store(db, "The build uses a shared cache", meaning=meaning(db, 0.95), at_ms=NOW + 1)
    again = store(db, KNOWN, meaning=meaning(db), at_ms=NOW + 2)

    assert done == Refreshed(entry, reworded=True)
    assert again == Refreshed(entry, reworded=False)
    assert live(db) == ["The build uses a shared cache"]
    assert (
        db.read_now(lambda c: c.execute("SELECT rowid FROM entry_fts WHERE entry_fts MATCH 'shared'").get)
        == entry
    )
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM entry_vector").get) == 1


def test_a_sighting_adds_what_the_entry_rests_on(db: Database) -> None:
    for turn in ("a", "b", "a"):
        db.write_now(writer.store, Draft(KNOWN, sources=(Source("turn", turn),)), None, NOW)

    assert db.read_now(table.sources, 1) == [Source("turn", "a"), Source("turn", "b")]


def test_what_is_seen_on_two_branches_holds_in_the_project(db: Database) -> None:
    app = project(db, "/app")
    entry = created(db, KNOWN, scope=MemoryScope(app, "one"))

    store(db, KNOWN, scope=MemoryScope(app, "one"))
    assert get(db, entry).scope == MemoryScope(app, "one")
    store(db, KNOWN, scope=MemoryScope(app, "two"))

    assert get(db, entry).scope == MemoryScope(app)


@pytest.mark.parametrize(("given", "kept"), [(-3, 1), (0, 1), (7, 7), (99, 10)])
def test_importance_stays_within_what_is_allowed(db: Database, given: int, kept: int) -> None:
    assert get(db, created(db, KNOWN, importance=given)).importance == kept


def test_mc14_supersede_keeps_all_but_the_text(db: Database) -> None:
    app = project(db, "/app")
    old = created(db, KNOWN, type="decision", importance=7, scope=MemoryScope(app, "main"))

    done = db.write_now(writer.supersede, old, " The build uses no cache ", None, NOW + 5)

    assert isinstance(done, Superseded)
    new = get(db, done.id)
    assert new.content == "The build uses no cache"
    assert (new.type, new.importance, new.scope) == ("decision", 7, MemoryScope(app, "main"))
    assert (new.first_seen_ms, new.sightings) == (NOW + 5, 1)
    assert (get(db, old).superseded_by, get(db, old).superseded_ms) == (new.id, NOW + 5)


def test_superseding_by_what_stands_there_already_links_the_two(db: Database) -> None:
    """After a contradiction was stored, superseding the old entry by its text leaves one live, not two."""
    old, new = created(db, "The API runs on port 8080"), created(db, "The API runs on port 8081")

    assert db.write_now(writer.supersede, old, "The API runs on port 8081.", None, NOW) == Superseded(
        old, new
    )

    assert live(db) == ["The API runs on port 8081"]
    newer = db.write_now(writer.supersede, new, "The API runs on port 8081", None, NOW)
    assert isinstance(newer, Superseded) and newer.id not in (old, new)


def test_mc14_an_importance_that_is_given_holds(db: Database) -> None:
    one, two = created(db, "one thing", importance=7), created(db, "another matter", importance=3)

    first = db.write_now(writer.supersede, one, "one thing more", None, NOW, 2)
    assert isinstance(first, Superseded)
    second = db.write_now(writer.merge, [first.id, two], "all of it", None, NOW, 99)
    assert isinstance(second, Merged)

    assert (get(db, first.id).importance, get(db, second.id).importance) == (2, 10)


def test_mc14_merge_puts_one_in_the_place_of_many(db: Database) -> None:
    app = project(db, "/app")
    first = db.write_now(
        writer.store,
        Draft("one of them", "decision", 3, MemoryScope(app), (Source("turn", "t1"),)),
        None,
        NOW,
    )
    second = db.write_now(
        writer.store, Draft("quite another", "fact", 8, sources=(Source("turn", "t2"),)), None, NOW - 9
    )
    assert isinstance(first, Created) and isinstance(second, Created)
    store(db, "quite another", at_ms=NOW - 8)
    dead = created(db, "long gone")
    db.write_now(writer.retire, dead, NOW)

    done = db.write_now(
        writer.merge, [first.id, 99, second.id, dead, first.id], "both at once", None, NOW + 5
    )

    assert isinstance(done, Merged)
    assert done == Merged(done.id, [first.id, second.id], [dead], [99])
    merged = get(db, done.id)
    assert (merged.type, merged.scope, merged.importance) == ("decision", MemoryScope(app), 8)
    assert (merged.first_seen_ms, merged.created_ms, merged.sightings) == (NOW - 9, NOW + 5, 3)
    assert db.read_now(table.sources, done.id) == [Source("turn", "t1"), Source("turn", "t2")]
    assert live(db) == ["both at once"]
    assert get(db, dead).superseded_by is None


def test_merging_into_what_stands_there_already_links_to_it(db: Database) -> None:
    """What the merged entries rest on goes with them; no twin is made."""
    for content in ("one of them", "quite another"):
        db.write_now(writer.store, Draft(content, sources=(Source("turn", content[:3]),)), None, NOW)
    there = created(db, "Both at once")

    assert db.write_now(writer.merge, [1, 2], "both at once.", None, NOW + 5) == Merged(there, [1, 2], [], [])

    assert live(db) == ["Both at once"]
    assert db.read_now(table.sources, there) == [Source("turn", "one"), Source("turn", "qui")]
    again = db.write_now(writer.merge, [there], "Both at once", None, NOW + 6)
    assert isinstance(again, Merged) and again.id != there


def test_what_holds_in_a_project_is_not_given_over_to_one_of_its_branches(db: Database) -> None:
    app = project(db, "/app")
    old = db.write_now(writer.store, Draft("it deploys on Tuesdays", scope=MemoryScope(app)), None, NOW)
    there = db.write_now(writer.store, Draft("it ships weekly", scope=MemoryScope(app, "topic")), None, NOW)
    assert isinstance(old, Created) and isinstance(there, Created)

    done = db.write_now(writer.supersede, old.id, "it ships weekly", None, NOW + 1)

    assert isinstance(done, Superseded) and done.id != there.id
    assert get(db, done.id).scope == MemoryScope(app)


def test_mc14_merging_what_is_not_live_changes_nothing(db: Database) -> None:
    dead = created(db, KNOWN)
    db.write_now(writer.retire, dead, NOW)
    before = get(db, dead)

    assert db.write_now(writer.merge, [dead, 99], "x", None, NOW) == NothingToMerge([dead], [99])
    assert get(db, dead) == before


def test_mc14_retire_and_review_and_their_outcomes(db: Database) -> None:
    entry = created(db, KNOWN)

    assert db.write_now(writer.review, entry, NOW + 1) == Reviewed(entry)
    assert get(db, entry).reviewed_ms == NOW + 1
    assert db.write_now(writer.retire, entry, NOW + 2) == Retired(entry)
    assert (get(db, entry).superseded_by, get(db, entry).superseded_ms) == (None, NOW + 2)
    for again in (writer.retire, writer.review):
        assert db.write_now(again, entry, NOW + 3) == AlreadyRetired(entry)
        assert db.write_now(again, 99, NOW + 3) == Missing(99)
    assert get(db, entry).superseded_ms == NOW + 2
    assert db.write_now(writer.supersede, 99, "x", None, NOW) == Missing(99)
    assert db.write_now(writer.delete, 99) == Missing(99)


def test_w9_a_dead_entry_is_not_pointed_elsewhere_but_its_chain_is_told(db: Database) -> None:
    """MC14: chains."""
    one = created(db, "the first wording")
    two = db.write_now(writer.supersede, one, "the second", None, NOW)
    assert isinstance(two, Superseded)
    three = db.write_now(writer.supersede, two.id, "the third", None, NOW)
    assert isinstance(three, Superseded)

    told = AlreadySuperseded(one, two.id, three.id)
    assert db.write_now(writer.supersede, one, "the fourth", None, NOW) == told
    assert db.write_now(writer.retire, one, NOW) == told
    assert live(db) == ["the third"]

    db.write_now(writer.retire, three.id, NOW)
    assert db.write_now(writer.retire, one, NOW) == replace(told, head=None)


def test_w9_a_circle_in_the_chain_ends(db: Database) -> None:
    one, two = created(db, "the first wording"), created(db, "something else")
    db.write_now(table.end, [one], NOW, successor=two)
    db.write_now(table.end, [two], NOW, successor=one)

    assert db.write_now(writer.retire, one, NOW) == AlreadySuperseded(one, two, None)


def test_w9_deleting_hands_predecessors_on(db: Database) -> None:
    """MC14: nothing points at what is gone."""
    one = created(db, "the first wording")
    two = db.write_now(writer.supersede, one, "the second", None, NOW)
    assert isinstance(two, Superseded)
    three = db.write_now(writer.supersede, two.id, "the third", None, NOW)
    assert isinstance(three, Superseded)

    assert db.write_now(writer.delete, two.id) == Deleted(two.id)
    assert get(db, one).superseded_by == three.id
    assert db.write_now(writer.delete, three.id) == Deleted(three.id)
    assert (get(db, one).superseded_by, get(db, one).live) == (None, False)
    for left in ("entry_fts WHERE entry_fts MATCH 'second OR third'", "entry_vector", "entry_source"):
        assert db.read_now(lambda c, left=left: c.execute(f"SELECT count(*) FROM {left}").get) == 0
