"""The schedule of reflections: it asks for those that are worth their price, and for no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.daemon import schedule
from memd.db.database import Database
from memd.errors import ConfigError
from memd.jobs import kinds, table
from memd.jobs.job import State
from memd.jobs.outcome import Finished, Kind
from memd.jobs.worker import Worker
from memd.memory.entry import MemoryScope
from memd.reflection import batch, watermark
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
