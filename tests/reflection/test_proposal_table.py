"""Proposals and the entries behind them: what goes with an entry, what waits for it, what is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import journal
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.memory import writer
from memd.memory.entry import MemoryScope
from memd.memory.forget import Wanted
from memd.reflection import decide, memory_md, proposal_table
from memd.reflection.op import Add, Retire
from memd.sources import curated, forgetting
from tests.memory.entries import NOW, add, project
from tests.reflection.stored import reflected
from tests.rows import database

MEMORY = "# Memory\n\n- Bob reviews\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        for text in ("tabs are preferred", "coffee comes first", "bob went"):
            add(db, text)
        reflected(db, MEMORY, ops=[Add("Ada prefers tabs", (1, 2)), Retire("Bob reviews", (3,))])
        yield db


def delete(db: Database, entry: int) -> int:
    """Delete an entry as a person does; the change."""

    def work(connection: Connection) -> int | None:
        _, change = journal.record(
            connection,
            "delete",
            NOW,
            lambda: writer.delete(connection, entry),
        )
        return change

    change = db.write_now(work)
    assert change is not None
    return change


def undo(db: Database) -> None:
    """Take back the last change, whatever it was."""
    db.write_now(journal.undo, db.read_now(journal.listing, 1)[0].id, NOW)


def open_ones(db: Database) -> list[int]:
    return [one.id for one in db.read_now(proposal_table.listing, ["open"])]


def rows(db: Database) -> int:
    return int(str(db.read_now(lambda c: c.execute("SELECT count(*) FROM proposal").get)))


def test_one_whose_entry_is_gone_comes_back_with_it(db: Database) -> None:
    delete(db, 1)

    assert open_ones(db) == [2]
    assert db.read_now(proposal_table.counts) == {"open": 1}
    assert db.read_now(proposal_table.waiting, None, 9) == 1
    assert db.read_now(proposal_table.open_of_job, 0, ["add"]) == []
    with pytest.raises(NotFound, match="proposal 1 rests on an entry that is gone; `memctl undo"):
        db.read_now(proposal_table.get, 1)

    undo(db)

    assert open_ones(db) == [1, 2]
    assert db.read_now(proposal_table.get, 1).op == Add("Ada prefers tabs", (1, 2))


def test_an_undo_that_is_undone_finds_it_again_each_time(db: Database) -> None:
    delete(db, 1)
    for there in (True, False, True):
        undo(db)
        assert (1 in open_ones(db)) is there


def test_what_nobody_sees_keeps_nothing_from_being_proposed_anew(db: Database) -> None:
    delete(db, 1)
    add(db, "tabs, really")

    again = reflected(db, MEMORY, ops=[Add("Ada prefers tabs", (4,))])

    assert (again.proposals, open_ones(db)) == ([3], [2, 3])


def test_a_decision_stands_whatever_becomes_of_the_entry(db: Database) -> None:
    """So nobody is asked twice, and what was applied can be taken back."""
    db.write_now(decide.reject, [1], NOW)
    delete(db, 1)
    add(db, "tabs, really")

    assert db.read_now(proposal_table.get, 1).state == "rejected"
    assert db.read_now(proposal_table.decided) == {1: True}
    again = reflected(db, MEMORY, ops=[Add("Ada prefers tabs", (4,))])
    assert [one.why for one in again.dropped] == ["it was proposed before"]


@pytest.mark.parametrize("gone_before", [False, True])
def test_forgetting_an_entry_forgets_what_rests_on_it(db: Database, gone_before: bool) -> None:
    """Also where only undoing would have brought the entry back."""
    if gone_before:
        delete(db, 1)

    db.write_now(lambda c: forgetting.remove_curated(c, curated.find(c, Wanted(match="tabs are"))))

    assert (open_ones(db), rows(db)) == ([2], 1)
    assert db.read_now(lambda c: c.execute("SELECT count(*) FROM proposal WHERE new LIKE '%tabs%'").get) == 0


def test_with_a_project_goes_what_was_proposed_for_its_own_file(db: Database) -> None:
    row = project(db, "/home/dev/app")
    add(db, "the app is slow", scope=MemoryScope(row))
    number = db.write_now(proposal_table.add, 1, Add("Be patient"), "/home/dev/app")
    other = db.write_now(proposal_table.add, 1, Add("Be patient"), "/home/dev/other")
    assert open_ones(db) == [1, 2, number, other]

    db.write_now(lambda c: forgetting.remove_curated(c, curated.find(c, Wanted(projects=[row]))))

    assert open_ones(db) == [1, 2, other]


def test_the_same_for_another_file_is_another_proposal(db: Database) -> None:
    known = [db.read_now(proposal_table.is_known, Add("Ada prefers tabs", (1,)), file) for file in ("", "/a")]

    assert known == [True, False]


def test_what_no_undo_brings_back_is_pruned(db: Database) -> None:
    delete(db, 1)
    assert db.write_now(proposal_table.prune, {1}) == 0

    assert db.write_now(proposal_table.prune, set()) == 1

    assert (open_ones(db), rows(db)) == ([2], 1)


def test_a_file_has_its_own_proposals_to_follow(db: Database) -> None:
    number = db.write_now(proposal_table.add, 1, Add("Be patient"), "/home/dev/app")
    db.write_now(proposal_table.keep_patch, number, memory_md.patch("", "- Be patient\n"))
    db.write_now(proposal_table.decide, number, "applied", NOW)

    assert db.read_now(proposal_table.unsettled_files) == ["/home/dev/app"]
    assert db.read_now(proposal_table.unsettled, "") == []
    assert [one.id for one in db.read_now(proposal_table.unsettled, "/home/dev/app")] == [number]
    assert db.read_now(proposal_table.files, [1, 2, number]) == ["", "/home/dev/app"]
