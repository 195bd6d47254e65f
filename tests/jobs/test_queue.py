"""The queue: bursts coalesce, attempts count at the claim, a late holder changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.errors import Busy, NotFound
from memd.jobs import table
from memd.jobs.job import LIVE, TRANSITIONS, State
from memd.jobs.retry import Bury, RetryAfter, RetryPolicy, decide
from tests.rows import database

NOW = 1_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


def enqueue(db: Database, key: str = "k", max_attempts: int = 3) -> int:
    return db.write_now(table.enqueue, "kind", key, lane="lane", max_attempts=max_attempts, now_ms=NOW)


def test_the_same_key_is_one_job_while_it_lives(db: Database) -> None:
    first = enqueue(db)

    assert enqueue(db) == first
    assert enqueue(db, "other") != first


def test_the_job_due_longest_is_claimed_first_and_once(db: Database) -> None:
    first, second = enqueue(db, "a"), enqueue(db, "b")

    claimed = [db.write_now(table.claim, "lane", boot="b1", now_ms=NOW) for _ in range(3)]

    assert [job.id if job else None for job in claimed] == [first, second, None]


def test_a_late_holder_changes_nothing(db: Database) -> None:
    enqueue(db)
    job = db.write_now(table.claim, "lane", boot="b1", now_ms=NOW)
    assert job is not None
    db.write_now(table.recover, boot="b2", now_ms=NOW + 1)
    again = db.write_now(table.claim, "lane", boot="b2", now_ms=NOW + 2)
    assert again is not None

    assert not db.write_now(table.finish, job, State.DONE, NOW + 3)
    assert db.write_now(table.finish, again, State.DONE, NOW + 3)


def test_work_that_ends_memd_every_time_is_set_aside(db: Database) -> None:
    number = enqueue(db, max_attempts=3)

    for boot in ("b1", "b2", "b3"):
        assert db.write_now(table.claim, "lane", boot=boot, now_ms=NOW) is not None
        db.write_now(table.recover, boot=boot + "x", now_ms=NOW)

    job = db.read_now(table.get, number)
    assert job.state is State.DEAD
    assert job.error is not None and "3 times" in job.error


@pytest.mark.parametrize("state", list(State))
def test_a_job_is_moved_only_along_the_table(db: Database, state: State) -> None:
    number = enqueue(db)
    db.write_now(lambda c: c.execute("UPDATE job SET state = ?", (state.value,)).fetchall())

    for target in (State.QUEUED, State.CANCELLED):
        if target in TRANSITIONS[state]:
            assert db.write_now(table.move, number, target, NOW).state is target
            db.write_now(lambda c: c.execute("UPDATE job SET state = ?", (state.value,)).fetchall())
        else:
            with pytest.raises(NotFound):
                db.write_now(table.move, number, target, NOW)


def test_only_an_ended_job_is_dismissed(db: Database) -> None:
    number = enqueue(db)
    with pytest.raises(NotFound):
        db.write_now(table.dismiss, number)

    db.write_now(table.move, number, State.CANCELLED, NOW)
    db.write_now(table.dismiss, number)

    assert db.read_now(table.listing, state=None, kind=None, limit=10) == []


def test_live_states_are_those_that_can_still_run() -> None:
    assert {state for state in State if state not in LIVE} == {State.DONE, State.DEAD, State.CANCELLED}


@pytest.mark.parametrize(
    ("error", "attempts", "least", "what"),
    [
        (Busy(), 1, 0.0, RetryAfter),  # it may work later
        (Busy(), 5, 0.0, Bury),  # it was tried often enough
        (NotFound(), 1, 0.0, Bury),  # trying again changes nothing
        (OSError(), 1, 0.0, RetryAfter),  # the outside world
        (Busy(), 1, 99.0, RetryAfter),  # whoever says how long to wait is heard
    ],
)
def test_what_becomes_of_a_job_that_failed(error: Exception, attempts: int, least: float, what: type) -> None:
    outcome = decide(error, attempts, RetryPolicy(max_attempts=5), at_least_s=least, draw=random.Random(1))

    assert isinstance(outcome, what)
    if isinstance(outcome, RetryAfter):
        assert outcome.seconds >= least
