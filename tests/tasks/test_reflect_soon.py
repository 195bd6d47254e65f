"""The schedule of reflections: it asks for those that are worth their price, and for no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.daemon import schedule
from memd.daemon.schedule import Reflections
from memd.db.database import Database
from memd.errors import ConfigError
from memd.jobs import kinds, table
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished, Kind
from memd.jobs.worker import Worker
from memd.memory.entry import MemoryScope
from memd.reflection import batch, due, watermark
from memd.reflection.watermark import Watermark
from memd.tasks.reflect import asked_in
from memd.tasks.reflect_soon import ReflectSoon
from tests.memory.entries import NOW, add, project
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


async def done(job: object) -> Finished:
    return Finished()


class House:
    """A queue that nobody works on, and who fills it."""

    def __init__(self, db: Database) -> None:
        self.db, self.clock = db, FixedClock(NOW)
        worker = Worker(db, self.clock, {kinds.REFLECT: Kind(done, "llm")})
        self.soon = ReflectSoon(db, self.clock, worker, 3, 20)

    def keys(self) -> list[str]:
        jobs = self.db.read_now(table.listing, state="queued", kind=kinds.REFLECT, limit=-1)
        return sorted(job.key for job in jobs)


def test_a_scope_with_enough_that_is_new_is_reflected_on_daily(db: Database) -> None:
    """MC31: of a project only where something of its own is new; asking twice is asking once."""
    house = House(db)
    app, other = project(db, "/home/dev/app"), project(db, "/home/dev/other")
    assert asyncio.run(house.soon.daily()) == 0
    for number in range(3):
        add(db, f"entry {number}", scope=MemoryScope(app))
    add(db, "alone", scope=MemoryScope(other))

    assert [asyncio.run(house.soon.daily()) for _ in range(2)] == [2, 2]
    assert house.keys() == ["all", f"project {app}"]


def test_many_new_entries_do_not_wait_for_the_hour(db: Database) -> None:
    """MC31"""
    house = House(db)
    for number in range(19):
        add(db, f"entry {number}")
    assert asyncio.run(house.soon.look()) == 0
    add(db, "entry 19")

    assert asyncio.run(house.soon.look()) == 1


def test_a_machine_on_which_nothing_is_said_asks_for_nothing(db: Database) -> None:
    """MC31: a whole day of it."""
    house = House(db)
    for number in range(30):
        add(db, f"entry {number}")
    db.write_now(watermark.put, None, db.read_now(batch.take, None, 50, now_ms=NOW).after)

    for _ in range(24 * 12):
        house.clock.move(300)
        assert asyncio.run(house.soon.look()) == 0
    assert asyncio.run(house.soon.daily()) == 0


def test_one_reflection_runs_at_a_time(db: Database) -> None:
    """MC31: of whatever scope; and of a scope that is waiting no second one is asked for."""
    clock, runs, all_read = FixedClock(NOW), list[str](), asyncio.Event()
    rows = [project(db, path) for path in ("/home/dev/app", "/home/dev/other")]
    for number in range(40):
        add(db, f"entry {number}", scope=MemoryScope(rows[number % 2]))

    async def reflect(job: Job) -> Finished:
        assert runs.count("begins") == runs.count("ends")
        runs.append("begins")
        await soon.look()  # a tick while it runs
        await asyncio.sleep(0.01)
        runs.append("ends")
        scope = asked_in(job.payload).project
        await db.write(watermark.put, scope, Watermark(40, NOW))
        if not await db.read(due.scopes, 3):
            all_read.set()
        return Finished()

    worker = Worker(db, clock, {kinds.REFLECT: Kind(reflect, "llm")})
    soon = ReflectSoon(db, clock, worker, 3, 20)

    async def story() -> None:
        running = asyncio.create_task(worker.run())
        await soon.look()
        async with asyncio.timeout(10):
            await all_read.wait()
        await worker.stop(5.0)
        await running
        assert await soon.look() == 0

    asyncio.run(story())

    assert runs == ["begins", "ends"] * 3


def test_the_schedule_asks_at_its_hour_and_only_where_it_is_turned_on() -> None:
    """MC31, W16"""

    async def nothing(*_: str) -> int:
        return 0

    async def ids(reflections: Reflections | None) -> dict[str, datetime]:
        scheduler = schedule.start(nothing, nothing, lambda: False, reflections)  # type: ignore[arg-type]
        found = {job.id: job.next_run_time for job in scheduler.get_jobs()}
        scheduler.shutdown()
        return found

    off = asyncio.run(ids(None))
    on = asyncio.run(ids(Reflections("0 4 * * *", *(nothing,) * 3)))

    assert on.keys() - off.keys() == {kinds.REFLECT, kinds.OBSERVE, "look"}
    assert (on[kinds.REFLECT].hour, on[kinds.REFLECT].minute) == (4, 0)


def test_what_came_to_nothing_today_is_not_asked_for_again_before_tomorrow(db: Database) -> None:
    """A reply that is no use is paid for twice a day at most."""
    house = House(db)
    for number in range(30):
        add(db, f"entry {number}")
    asyncio.run(house.soon.look())
    db.write_now(
        lambda c: c.execute(
            "UPDATE job SET state = ?, updated_ms = ?", (State.DEAD.value, house.clock.now_ms())
        )
    )

    assert asyncio.run(house.soon.look()) == 0
    house.clock.move(21 * 3600)
    assert asyncio.run(house.soon.daily()) == 1


def test_a_line_that_is_none_of_cron_is_told() -> None:
    assert schedule.trigger("0 4 * * *") is not None
    with pytest.raises(ConfigError, match=r"reflection\.schedule"):
        schedule.trigger("every night")
