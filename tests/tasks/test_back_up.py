"""Scheduled backups: due by the newest copy, skipped where nothing was stored, never on a disk that is nearly full."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db import backup
from memd.db.database import Database
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished, Later, Outcome
from memd.services import Troubles
from memd.tasks.back_up import BackUp, Rules
from tests.rows import database, store, turn

JOB = Job(1, "backup", "scheduled", "upkeep", State.RUNNING, 0, 1, 5)
DAY = 86_400


class House:
    """A database, a clock, and a folder of backups."""

    def __init__(self, folder: Path, db: Database) -> None:
        self.db, self.folder = db, folder / "backups"
        self.folder.mkdir(exist_ok=True)
        self.clock = FixedClock()
        self.troubles = Troubles(self.clock)
        self.stored = 0
        self.work = self.with_rules()

    def with_rules(self, *, every_hours: int = 24, keep: int = 2, most_bytes: int = 1 << 30) -> BackUp:
        rules = Rules(every_hours, keep, most_bytes)
        self.work = BackUp(self.db, self.clock, self.troubles, self.folder, rules)
        return self.work

    def store(self) -> None:
        self.stored += 1
        store(self.db, [turn(self.stored, f"turn {self.stored}")])

    def run(self) -> Outcome:
        return asyncio.run(self.work.run(JOB))

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with database(tmp_path) as db:
        yield House(tmp_path, db)


def test_each_day_has_its_backup_and_the_oldest_goes(house: House) -> None:
    taken = []
    for _ in range(4):
        house.store()
        assert house.work.due()
        house.run()
        assert not house.work.due()
        taken += [name for name in house.names() if name not in taken]
        house.clock.move(DAY)

    assert len(taken) == 4
    assert house.names() == taken[2:]


def test_where_nothing_was_stored_the_newest_counts_as_of_today_for_a_week(house: House) -> None:
    house.store()
    house.run()
    first = house.names()
    for _ in range(7):
        house.clock.move(DAY)
        assert house.work.due()
        outcome = house.run()
        assert isinstance(outcome, Finished) and str(outcome.result["skipped"]).startswith(
            "nothing was stored"
        )
        assert not house.work.due()
        assert house.names() == first
    house.clock.move(DAY)
    house.run()

    assert len(house.names()) == 2


def test_a_turn_that_went_is_a_change_too(house: House) -> None:
    house.store()
    house.store()
    house.run()
    house.clock.move(DAY)
    house.db.write_now(lambda c: c.execute("DELETE FROM turn WHERE rowid = 1"))
    house.run()

    assert len(house.names()) == 2


def test_an_empty_store_has_no_backup(house: House) -> None:
    assert house.run() == Finished({"skipped": "nothing is stored yet"})
    assert house.names() == []


@pytest.mark.parametrize(
    ("hours", "moved", "due"),
    [(0, 30 * DAY, False), (1, 3_599, False), (1, 3_600, True), (24, -2 * DAY, True)],
)
def test_it_is_due_by_the_time_of_the_newest(house: House, hours: int, moved: int, due: bool) -> None:
    house.store()
    house.run()
    house.clock.move(moved)

    assert house.with_rules(every_hours=hours).due() is due


def test_a_disk_that_is_nearly_full_is_left_alone_and_that_is_said(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.store()
    whole = backup.shutil.disk_usage(house.folder)
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda _: whole._replace(free=400_000_000))

    outcome = house.run()

    assert isinstance(outcome, Later) and "400.0 MB are free" in outcome.reason
    assert house.names() == []
    [trouble] = house.troubles.all()
    assert trouble.what.startswith("no backup is taken: the copy takes")
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda _: whole)
    assert isinstance(house.run(), Finished)
    assert house.troubles.all() == []


def test_what_may_not_be_as_large_as_one_copy_is_a_trouble(house: House) -> None:
    house.store()
    house.with_rules(most_bytes=1000)

    outcome = house.run()

    assert isinstance(outcome, Later) and "memctl config set backup.max_mb" in outcome.reason
    assert len(house.troubles.all()) == 1
