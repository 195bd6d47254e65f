"""The logs of mait-code: what they hold is in its database already, whichever of the two memd sees first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.graph import explore
from memd.intake.log_reading import LogReader
from memd.intake.mait_code import home as homes
from memd.intake.mait_code import logs
from memd.sources import observation_table
from memd.sources.exclusions import Exclusions
from tests.intake.mait_code_home import MadeHome
from tests.intake.test_mait_code import entries, everything, take
from tests.rows import database
from tests.sources.logs import record, statement
from tests.tasks.absorbing import House

DAY = "2026-10-31"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "here").mkdir()
    with database(tmp_path / "here") as db:
        yield db


def said(minute: int, *facts: str, day: str = DAY, **more: object) -> dict[str, object]:
    """A record with facts of the project "app", and a mention of Redis in each."""
    return record(
        timestamp=f"{day}T10:{minute:02d}:00+00:00",
        facts=[statement(fact) for fact in facts],
        entities=[{"name": "Redis", "entity_type": "tool"}],
        **more,  # type: ignore[arg-type]
    )


def home_of(folder: Path) -> MadeHome:
    """A home whose database holds what its log of three records says; the last said what was known."""
    home = MadeHome(folder)
    usual = {"scope": "project", "project": "app"}
    home.entry("the cache is Redis", created_at="2026-10-31 10:02:00", **usual)
    home.entry("builds run on Fridays", created_at="2026-10-31 10:01:00", **usual)
    home.entity("Redis", mentions=3)
    home.log(
        DAY,
        [
            said(0, "the cache is Redis"),
            said(1, "builds run on Fridays"),
            said(2, "The cache is Redis."),
        ],
    )
    return home


def watch(db: Database, folder: Path) -> None:
    """Have memd read the logs by itself, and absorb them."""
    home = homes.find(str(folder))
    assert home is not None
    parts = logs.read(LogReader(db, Exclusions((), lambda cwd: None)), home, [])
    db.write_now(observation_table.accept, parts, None)
    House(db).absorb()


def mentions(db: Database) -> int:
    (redis,) = db.read_now(explore.search, "redis")
    return redis.mentions


def test_records_that_the_database_holds_are_not_absorbed_again(db: Database, tmp_path: Path) -> None:
    home_of(tmp_path / "home").close()

    report = take(db, tmp_path / "home")
    before = everything(db)
    House(db).absorb()

    assert (report.entries, report.observations) == (2, 3)
    assert everything(db) == before
    assert (len(entries(db)), mentions(db)) == (2, 3)
    assert all(entry.sightings == 1 for entry in entries(db).values())


def test_logs_that_memd_has_absorbed_before_are_the_same_entries(db: Database, tmp_path: Path) -> None:
    home_of(tmp_path / "home").close()
    watch(db, tmp_path / "home")
    assert (len(entries(db)), mentions(db)) == (2, 3)

    report = take(db, tmp_path / "home")

    assert (report.entries, report.imported, report.duplicates, report.observations) == (2, 0, 2, 0)
    assert (len(entries(db)), mentions(db)) == (2, 3)


def test_entries_say_which_records_they_rest_on(db: Database, tmp_path: Path) -> None:
    home_of(tmp_path / "home").close()

    take(db, tmp_path / "home")

    rests = db.read_now(
        lambda c: dict(
            c.execute(
                "SELECT e.content, count(*) FROM entry_source s JOIN entry e ON e.id = s.entry_id"
                " WHERE s.kind = 'observation' GROUP BY e.id"
            ).fetchall()
        )
    )
    assert rests == {"the cache is Redis": 2, "builds run on Fridays": 1}


def test_records_that_are_newer_than_the_database_wait(db: Database, tmp_path: Path) -> None:
    home = home_of(tmp_path / "home")
    home.log("2026-11-20", [said(0, "deploys run on Mondays", day="2026-11-20")])
    home.close()

    report = take(db, tmp_path / "home")
    assert (report.observations, len(entries(db))) == (3, 2)
    House(db).absorb()

    assert (len(entries(db)), mentions(db)) == (3, 4)


def test_records_of_another_machine_are_absorbed_though_they_are_older(db: Database, tmp_path: Path) -> None:
    """W26: a folder of logs may hold what the database beside it never saw."""
    home = home_of(tmp_path / "home")
    home.log("2026-10-01", [said(0, "the other laptop has no GPU", day="2026-10-01")])
    home.close()

    assert take(db, tmp_path / "home").observations == 3
    House(db).absorb()

    assert "the other laptop has no GPU" in entries(db)
    assert mentions(db) == 4


def test_a_fact_that_the_database_lost_to_one_like_it_comes_from_the_log(
    db: Database, tmp_path: Path
) -> None:
    """W8: "port 8081" was taken for "port 8080" said again."""
    home = MadeHome(tmp_path / "home")
    for text in ("the server listens on port 8080", "builds run on Fridays"):
        home.entry(text, created_at="2026-10-31 10:02:00", scope="project", project="app")
    home.entity("Redis", mentions=2)
    home.log(
        DAY,
        [
            said(0, "the server listens on port 8080"),
            said(1, "builds run on Fridays", "the server listens on port 8081"),
        ],
    )
    home.close()

    report = take(db, tmp_path / "home")
    House(db).absorb()

    assert (report.entries, report.observations, mentions(db)) == (2, 2, 2)
    assert set(entries(db)) == {
        "the server listens on port 8080",
        "builds run on Fridays",
        "the server listens on port 8081",
    }


def test_twice_is_once_with_logs_too(db: Database, tmp_path: Path) -> None:
    home_of(tmp_path / "home").close()
    take(db, tmp_path / "home")
    before = everything(db)

    again = take(db, tmp_path / "home")
    House(db).absorb()

    assert (again.imported, again.observations) == (0, 0)
    assert everything(db) == before


def test_a_log_that_is_broken_stops_nothing(db: Database, tmp_path: Path) -> None:
    home = home_of(tmp_path / "home")
    with home.log(DAY, []).open("a") as file:
        file.write("no record\n")
    home.close()

    report = take(db, tmp_path / "home")

    assert (report.imported, report.observations, report.errors) == (2, 3, [])
