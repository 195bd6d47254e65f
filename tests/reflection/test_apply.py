"""What becomes of a reply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory import table
from memd.memory.entry import MemoryScope, Source
from memd.reflection import proposal_table, reflection_table, watermark
from memd.reflection.op import Add, Dropped, Found, Insight, Merge, Retire, Rewrite
from tests.memory.entries import add, project
from tests.reflection.stored import note, read, reflected
from tests.rows import database

MEMORY = "# Memory\n\n- **Ada** prefers tabs.\n- Deploys go out on Tuesdays\n- Bob reviews\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        for text in ("the api runs on port 8080", "tabs are preferred", "deploys go out on tuesdays"):
            add(db, text)
        yield db


def test_insights_are_entries_that_rest_on_what_was_read(db: Database) -> None:
    """MC28, W33"""
    app = project(db, "/home/dev/app")
    noted = reflected(db, insights=[Insight("habits rule", (1, 3, 99)), Insight("ports wander")], project=app)

    first, second = (db.read_now(table.get, entry) for entry in noted.insights)
    assert first is not None and second is not None
    assert (first.type, first.importance, first.scope) == ("insight", 6, MemoryScope(app))
    assert db.read_now(table.sources, first.id) == [Source("entry", "1"), Source("entry", "3")]
    assert len(db.read_now(table.sources, second.id)) == 3


def test_a_repeated_insight_is_seen_once_more_and_not_counted_as_new(db: Database) -> None:
    """MC28, W15"""
    said = Insight("habits rule the day, whatever the plan says", (1,))
    [first] = reflected(db, insights=[said]).insights
    add(db, "coffee comes first")

    again = reflected(db, insights=[said, Insight("coffee drives deploys", (4,))])

    assert (len(again.insights), again.repeated) == (1, [first])
    row = db.read_now(lambda c: c.execute("SELECT insights, repeated, entries FROM reflection").fetchall())
    assert row == [(1, 0, 3), (1, 1, 1)]


def test_operations_become_proposals_on_the_statements_of_the_file(db: Database) -> None:
    """Old texts are what the file says; entries that were not shown count for nothing."""
    noted = reflected(
        db,
        MEMORY,
        ops=[
            Add("the api runs on port 8080", (1, 77)),
            Rewrite("ada prefers tabs", "Ada prefers spaces", (2,)),
            Merge("Bob reviews the Tuesday deploys", (3,), ("Bob reviews", "Deploys go out on Tuesdays.")),
        ],
    )

    made = [db.read_now(proposal_table.get, number).op for number in noted.proposals]
    assert made == [
        Add("the api runs on port 8080", (1,)),
        Rewrite("**Ada** prefers tabs.", "Ada prefers spaces", (2,)),
        Merge("Bob reviews the Tuesday deploys", (3,), ["Bob reviews", "Deploys go out on Tuesdays"]),
    ]
    assert {one.state for one in db.read_now(proposal_table.listing)} == {"open"}


def test_what_cannot_be_proposed_is_told(db: Database) -> None:
    """W14"""
    ops = [Retire("Cy is new"), Add("bob reviews"), Retire("Bob reviews")]
    reflected(db, MEMORY, ops=[ops[2]])
    add(db, "coffee comes first")

    noted = reflected(db, MEMORY, ops=ops)

    assert noted.proposals == []
    assert noted.dropped == [
        Dropped("retire: Cy is new", "MEMORY.md does not say so any more: its text has changed"),
        Dropped("add: bob reviews", "MEMORY.md says so already"),
        Dropped("retire: Bob reviews", "it was proposed before"),
    ]
    assert db.read_now(reflection_table.dropped, noted.reflection) == noted.dropped


def test_the_watermark_stands_behind_what_was_read_and_no_farther(db: Database) -> None:
    """MC29"""
    what = read(db, limit=2)
    add(db, "said meanwhile")

    assert note(db, what, Found()) is not None

    mark = db.read_now(watermark.get, None)
    assert mark is not None and mark.entry == 2


def test_of_two_reflections_on_the_same_entries_one_counts(db: Database) -> None:
    """Each effect once: also where a call was answered twice."""
    what = read(db)
    found = Found((Insight("habits rule", (1,)),), (Add("a fact"),))

    assert note(db, what, found) is not None
    assert note(db, what, found) is None
    assert len(db.read_now(proposal_table.listing)) == 1
    assert db.read_now(lambda c: c.execute("SELECT sightings FROM entry WHERE type = 'insight'").get) == 1


def test_a_proposal_goes_with_its_entries(db: Database) -> None:
    """Nothing of what was deleted is left in it."""
    reflected(db, MEMORY, ops=[Add("the api runs on port 8080", (1,)), Add("coffee", (2,))])

    db.write_now(table.delete, 1, successor=None)

    assert [one.op for one in db.read_now(proposal_table.listing)] == [Add("coffee", (2,))]


def test_proposals_that_hold_a_text_are_forgotten(db: Database) -> None:
    reflected(db, MEMORY, ops=[Add("Größe zählt"), Rewrite("ada prefers tabs", "Ada prefers spaces")])

    assert db.write_now(proposal_table.forget, "größe") == 1
    assert db.write_now(proposal_table.forget, "PREFERS TABS") == 1
    assert db.read_now(proposal_table.listing) == []
