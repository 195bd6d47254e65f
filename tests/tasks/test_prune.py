"""Pruning: turns stay for ever unless a rule says how long; then they go with all that derives from them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db import check, journal
from memd.db.database import Database
from memd.injection import handed
from memd.injection.lines import Item
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished
from memd.memory import writer
from memd.reflection import proposal_table
from memd.reflection.op import Add
from memd.tasks.prune import CHUNK, Prune, Retention
from memd.turns import spaces
from tests.memory.entries import add
from tests.reflection.stored import reflected
from tests.rows import DAY_MS, START_MS, database, store, turn

JOB = Job(1, "prune", "daily", "upkeep", State.RUNNING, 0, 1, 5)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def prune(db: Database, turn_days: int, *, after_days: float) -> tuple[object, int]:
    """How many turns went, and how often the file's clean-up was asked for."""
    asked: list[object] = []
    clock = FixedClock(START_MS + int(after_days * DAY_MS))
    rules = Retention(turn_days, job_days=30, journal_days=90)
    outcome = asyncio.run(Prune(db, clock, rules, asked.append).run(JOB))
    assert isinstance(outcome, Finished)
    return outcome.result["turns"], len(asked)


def test_what_a_session_was_handed_long_ago_is_forgotten(db: Database) -> None:
    for days in (0, 5):
        db.write_now(handed.note, f"session {days}", [Item("turn", "t1")], START_MS + days * DAY_MS)
    clock = FixedClock(START_MS + 32 * DAY_MS)

    outcome = asyncio.run(Prune(db, clock, Retention(0, 30, 90), lambda connection: None).run(JOB))
    assert isinstance(outcome, Finished) and outcome.effect is not None
    db.write_now(outcome.effect)

    kept = db.read_now(lambda c: c.execute("SELECT session FROM handed").fetchall())
    assert kept == [("session 5",)]


def test_a_proposal_goes_when_no_undo_can_bring_its_entry_back(db: Database) -> None:
    first, second = add(db, "tabs are preferred"), add(db, "coffee comes first")
    reflected(db, ops=[Add("Ada prefers tabs", (first,)), Add("Coffee first", (second,))])
    for entry, days in ((first, 0), (second, 50)):
        db.write_now(
            lambda c, entry=entry, days=days: journal.record(  # type: ignore[misc]
                c, "delete", START_MS + days * DAY_MS, lambda: writer.delete(c, entry)
            )
        )
    clock = FixedClock(START_MS + 100 * DAY_MS)

    outcome = asyncio.run(Prune(db, clock, Retention(0, 30, 90), lambda connection: None).run(JOB))
    assert isinstance(outcome, Finished) and outcome.effect is not None
    told = db.write_now(outcome.effect)

    assert isinstance(told, dict) and (told["changes"], told["proposals"]) == (1, 1)
    db.write_now(journal.undo, None, START_MS)
    assert [one.op for one in db.read_now(proposal_table.listing)] == [Add("Coffee first", (second,))]


def texts(db: Database) -> list[str]:
    return [str(row[0]) for row in db.read_now(lambda c: c.execute("SELECT text FROM content").fetchall())]


def test_nothing_goes_by_default(db: Database) -> None:
    store(db, [turn(1, "old")])

    assert prune(db, 0, after_days=10_000) == (0, 0)
    assert texts(db) == ["old"]


def test_turns_over_their_time_go_with_all_that_derives_from_them(db: Database) -> None:
    day = DAY_MS // 1000  # a turn's number is its second
    store(db, [turn(0, "old"), turn(2, "said twice"), turn(5 * day, "new"), turn(5 * day + 1, "said twice")])
    db.write_now(spaces.ensure, "hash", 384)

    assert prune(db, 3, after_days=3.5) == (2, 0)

    assert sorted(texts(db)) == ["new", "said twice"]
    assert [one.name for one in db.read_now(check.faults, 1) if not one.ok] == []
    assert store(db, [turn(0, "old")]) == []  # a transcript that is read again does not bring it back


def test_many_are_removed_in_chunks_and_the_file_is_cleaned_up(db: Database) -> None:
    store(db, [turn(n, f"turn {n}") for n in range(CHUNK + 10)])

    assert prune(db, 1, after_days=2) == (CHUNK + 10, 1)
    assert texts(db) == []


def test_a_turn_without_a_time_stays(db: Database) -> None:
    store(db, [turn(1, "timeless")])
    db.write_now(lambda c: c.execute("UPDATE turn SET at_ms = NULL, sort_ms = NULL"))

    assert prune(db, 1, after_days=9) == (0, 0)
