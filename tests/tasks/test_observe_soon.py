"""Extraction by itself: of sessions that are quiet, that began here, and that have something new."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.jobs.outcome import Finished, Kind
from memd.jobs.worker import Worker
from memd.tasks.observe_soon import ObserveSoon, note_first_start
from memd.text.tokens import Estimate
from memd.turns import sharing, unobserved
from memd.turns.shared import Whose
from memd.turns.sharing import Sharer
from memd.turns.unobserved import Cursor
from tests.rows import START_MS, database, store, turn
from tests.tasks import observing
from tests.tasks.models import Scripted


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


async def done(job: object) -> Finished:
    return Finished()


class House:
    """A queue that nobody works on, and who fills it."""

    def __init__(self, db: Database) -> None:
        self.db, self.clock = db, FixedClock(START_MS)
        db.write_now(note_first_start, START_MS)
        worker = Worker(db, self.clock, {kinds.OBSERVE: Kind(done, "llm")})
        self.excluded: set[str] = set()
        self.soon = ObserveSoon(db, self.clock, worker, 10, self.excluded.__contains__)

    def look(self) -> list[str]:
        """Which sessions wait to be read, after a look."""
        asyncio.run(self.soon.look())
        jobs = self.db.read_now(table.listing, state="queued", kind=kinds.OBSERVE, limit=-1)
        return sorted(job.key for job in jobs)


def test_a_session_is_read_once_it_is_quiet(db: Database) -> None:
    house = House(db)
    store(db, [turn(1, "hello"), turn(2, "there", role="assistant")], cwd="/home/dev/app")
    house.clock.move(60)
    assert house.look() == []

    house.clock.move(600)
    assert house.look() == house.look() == ["s1"]


def test_history_is_left_alone(db: Database) -> None:
    """Hundreds of old sessions that are imported cost nothing, whenever they come."""
    house = House(db)
    for number in range(200):
        old = turn(1, f"said long ago {number}", session=f"old{number}")
        store(db, [old._replace(at_ms=START_MS - 1, sort_ms=START_MS - 1)], cwd="/home/dev/app")
    house.clock.move(3600)

    assert house.look() == []


def test_of_an_old_session_that_goes_on_what_is_new_is_asked_for(db: Database) -> None:
    house = House(db)
    old = turn(1, "said long ago")
    store(db, [old._replace(at_ms=START_MS - 1, sort_ms=START_MS - 1)], cwd="/home/dev/app")
    store(db, [turn(2, "said now")], cwd="/home/dev/app")
    house.clock.move(3600)

    assert house.look() == ["s1"]
    [job] = db.read_now(table.listing, state=None, kind=kinds.OBSERVE, limit=-1)
    assert job.payload == {"session": "s1", "since_ms": START_MS}


def test_a_day_on_which_nothing_is_said_asks_for_nothing(db: Database) -> None:
    house = House(db)
    store(db, [turn(1, "hello")], cwd="/home/dev/app")
    db.write_now(unobserved.move, 1, Cursor(1), START_MS)

    for _ in range(24 * 12):
        house.clock.move(300)
        assert house.look() == []


def test_a_new_turn_is_one_bounded_call_and_a_day_without_one_none(db: Database, tmp_path: Path) -> None:
    """Asked every five minutes, for two days."""
    store(db, [turn(1, "hello")], cwd="/home/dev/app")
    house = observing.House(db, tmp_path / "observations", Scripted({"facts": []}))
    db.write_now(note_first_start, START_MS)
    worker = Worker(db, house.clock, {kinds.OBSERVE: Kind(done, "llm")})
    soon = ObserveSoon(db, house.clock, worker, 10, house.excluded.__contains__)

    def day() -> int:
        before = len(house.model.requests)
        for _ in range(24 * 12):
            house.clock.move(300)
            asyncio.run(soon.look())
            for job in db.read_now(table.listing, state="queued", kind=kinds.OBSERVE, limit=-1):
                house.run(job.key)
        return len(house.model.requests) - before

    assert [day(), day()] == [1, 0]
    new = turn(2, "and then " + "some " * 20_000, role="assistant")
    store(db, [new._replace(at_ms=house.clock.now_ms(), sort_ms=house.clock.now_ms())])
    calls = [day(), day()]

    assert calls[1] == 0 and all(
        Estimate().count(one.system) + Estimate().count(one.prompt) <= 8_000 for one in house.model.requests
    )
    assert calls[0] == -(-Estimate().count(new.text) // 7_000)


def test_what_came_to_nothing_today_waits_until_tomorrow(db: Database) -> None:
    house = House(db)
    store(db, [turn(1, "hello")], cwd="/home/dev/app")
    house.clock.move(3600)
    house.look()
    db.write_now(
        lambda c: c.execute(
            "UPDATE job SET state = ?, updated_ms = ?", (State.DEAD.value, house.clock.now_ms())
        )
    )

    assert house.look() == []
    house.clock.move(21 * 3600)
    assert house.look() == ["s1"]


def test_sessions_that_are_not_read_hold_up_no_other(db: Database) -> None:
    """However many of an excluded project there are, or of which no answer came today."""
    house = House(db)
    house.excluded.add("/home/dev/secret")
    for number in range(25):
        store(db, [turn(1, f"nobody reads this {number}", session=f"x{number}")], cwd="/home/dev/secret")
        store(db, [turn(2, f"nor this {number}", session=f"y{number}")], cwd="/home/dev/app")
        db.write_now(dead, f"y{number}", START_MS + 3_000_000)
    store(db, [turn(3, "this is read", session="z")], cwd="/home/dev/app")
    house.clock.move(3600)

    assert house.look() == ["z"]


def dead(connection: Connection, session: str, now_ms: int) -> None:
    """A job of the session came to nothing."""
    table.enqueue(connection, kinds.OBSERVE, session, lane="llm", max_attempts=1, now_ms=now_ms)
    connection.execute("UPDATE job SET state = 'dead' WHERE key = ?", (session,))


def test_the_first_start_is_noted_once(db: Database) -> None:
    """A later start does not make history of what was said since."""
    house = House(db)
    store(db, [turn(1, "hello")], cwd="/home/dev/app")
    house.clock.move(3600)
    db.write_now(note_first_start, house.clock.now_ms())

    assert house.look() == ["s1"]


def test_what_was_heard_from_a_shared_store_is_read_where_it_was_said(db: Database) -> None:
    house = House(db)
    known = db.write_now(
        sharing.settle, Sharer("postgresql://db/team#memd", "ann", None, (), (), Whose(None))
    )
    store(db, [turn(1, "hers"), turn(1, "his", session="heard"), turn(2, "both", session="heard")])
    db.write_now(
        lambda c: c.execute(
            "UPDATE turn SET file_id = (SELECT file_id FROM shared_store WHERE id = ?) WHERE id LIKE 'heard%'",
            (known,),
        ).fetchall()
    )
    house.clock.move(3600)

    assert house.look() == ["s1"]
