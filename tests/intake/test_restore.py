"""Restoring from the logs: what is lost comes back with its times, what is there stays, and twice is as once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memd.clock import iso
from memd.db import journal
from memd.db.driver import Connection
from memd.graph import merge
from memd.intake.log_reading import LogReader
from memd.intake.restore import Restore
from memd.memory import writer
from memd.memory.entry import Draft
from tests.intake.home import Home
from tests.rows import database
from tests.sources.logs import log, record
from tests.tasks.absorbing import House, Ungoverned

TABLES = ("entry", "entry_source", "entity", "entity_alias", "relationship", "observation", "observation_log")


class Restoring:
    """A home whose logs are absorbed, and restored from."""

    def __init__(self, home: Home) -> None:
        self.home, self.house = home, House(home.db)
        self.told: list[Mapping[str, object]] = []

    def settle(self) -> None:
        self.home.settle()
        self.house.absorb()

    def run(self, *, dry_run: bool = False) -> Mapping[str, object]:
        return asyncio.run(self._run(dry_run))

    async def _run(self, dry_run: bool) -> Mapping[str, object]:
        home = self.home
        assert home.intake
        restore = Restore(
            home.db,
            LogReader(home.db, home.exclusions),
            [str(folder).encode() for folder in home.logs],
            Ungoverned(),  # type: ignore[arg-type]
            home.intake.rescan,
            self.house.work,
            self.house.handler.again,
        )

        async def tell(event: Mapping[str, object]) -> None:
            self.told.append(event)

        return await restore.run(dry_run, tell)

    def dump(self, *tables: str) -> dict[str, list[object]]:
        """Everything that is stored, but for when it was."""

        def read(connection: Connection) -> dict[str, list[object]]:
            return {
                table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
                for table in tables or TABLES
            }

        return self.home.db.read_now(read)

    def write(self, *statements: str) -> None:
        self.home.db.write_now(lambda c: [c.execute(statement) for statement in statements])


@pytest.fixture
def restoring(home: Home) -> Iterator[Restoring]:
    log(
        home.logs[0],
        record(1, facts=["the cache lives in Redis"], entities=["Redis"], decisions=["Kafka is not used"]),
        record(2, facts=["the cache lives in Redis"], relationships=[{"source": "app", "target": "Redis"}]),
    )
    log(
        home.logs[0],
        record(1, preferences=["answers are short"], timestamp=iso(1_790_000_000_000)),
        day="2026-09-21",
    )
    home.start()
    one = Restoring(home)
    one.settle()
    yield one


def test_with_nothing_lost_nothing_changes(restoring: Restoring) -> None:
    """MC37, W25: no sighting is counted again, no mention, no time moves."""
    before = restoring.dump()

    report = restoring.run()
    restoring.run()

    assert restoring.dump() == before
    assert (report["files"], report["records"], report["new_records"], report["entries"]) == (2, 3, 0, 0)


def test_what_is_lost_comes_back_with_its_original_times_and_twice_is_as_once(restoring: Restoring) -> None:
    """MC37: entries whose rows are gone are stored anew; the others are left alone."""
    contents = (
        "SELECT content, type, importance, scope, created_ms, first_seen_ms FROM entry ORDER BY content"
    )
    before = restoring.house.rows(contents)
    restoring.write("DELETE FROM entry WHERE content <> 'the cache lives in Redis'")

    dry = restoring.run(dry_run=True)
    assert restoring.house.rows("SELECT count(*) FROM entry") == [(1,)]
    report = restoring.run()

    assert (dry["entries"], dry["entries_lost"], dry["dry_run"]) == (2, 2, True)
    assert (report["entries"], report["dry_run"]) == (2, False)
    assert restoring.house.rows(contents) == before
    once = restoring.dump()
    assert restoring.run()["entries"] == 0
    assert restoring.dump() == once


def test_a_new_database_gets_the_same_entries_and_graph(restoring: Restoring, tmp_path: Path) -> None:
    """MC37: also where all there is are the logs."""
    derived = ("entry", "entry_source", "entity", "relationship")
    (tmp_path / "new").mkdir()
    with database(tmp_path / "new") as db:
        home = Home(tmp_path / "new", db)
        home.logs = restoring.home.logs
        home.start()
        other = Restoring(home)

        dry = other.run(dry_run=True)
        report = other.run()

        assert (dry["new_records"], dry["entries"]) == (3, 4)
        assert report["records"] == 3
        assert _undated(other.dump(*derived)) == _undated(restoring.dump(*derived))
        once = other.dump()
        other.run()
        assert other.dump() == once
        home.stop()


def _undated(dump: dict[str, list[object]]) -> dict[str, list[object]]:
    """The rows without their numbers, which tell in which order they came."""
    return {table: sorted((row[1:] for row in rows), key=repr) for table, rows in dump.items()}  # type: ignore[index]


def test_what_a_person_did_stays(restoring: Restoring) -> None:
    """W25: hand-stored entries, reviews, supersession, retirement, and entities that were merged."""
    db = restoring.home.db
    [(redis,), (kafka,)] = restoring.house.rows(
        "SELECT id FROM entry WHERE scope <> 'global' ORDER BY content DESC"
    )
    db.write_now(lambda c: writer.store(c, Draft("stored by hand"), None, 5, by_hand=True))
    db.write_now(lambda c: writer.supersede(c, redis, "the cache lives in Valkey", None, 6))
    db.write_now(lambda c: writer.retire(c, kafka, 7))
    db.write_now(lambda c: merge.merge(c, "app", "Redis"))
    before = restoring.dump()

    restoring.run()

    assert restoring.dump() == before


def test_an_entry_that_was_deleted_by_hand_can_be_had_again_and_undone_is_not_doubled(
    restoring: Restoring,
) -> None:
    db = restoring.home.db
    [(entry,)] = restoring.house.rows("SELECT id FROM entry WHERE content = 'answers are short'")

    def delete(connection: Connection) -> object:
        return journal.record(connection, "delete", 1, lambda: writer.delete(connection, entry))

    db.write_now(delete)
    db.write_now(lambda c: journal.undo(c, None, 2))
    before = restoring.dump("entry")
    assert restoring.run()["entries"] == 0
    assert restoring.dump("entry") == before

    db.write_now(delete)
    assert restoring.run()["entries"] == 1
    assert restoring.house.rows("SELECT count(*) FROM entry WHERE content = 'answers are short'") == [(1,)]


def test_a_log_that_nobody_told_of_is_found(restoring: Restoring) -> None:
    """MC37: records that are not known are stored and absorbed; a copy of the folder is counted once."""
    copy = restoring.home.logs[0].parent / "copy"
    restoring.home.logs.append(copy)
    for folder in restoring.home.logs:
        log(folder, record(3, facts=["said elsewhere"]), b"torn\n", day="2026-11-29")

    dry = restoring.run(dry_run=True)
    report = restoring.run()

    assert (dry["new_records"], dry["entries"], dry["bad_records"]) == (1, 1, 2)
    assert report["new_records"] == 1
    assert restoring.house.rows("SELECT count(*) FROM entry WHERE content = 'said elsewhere'") == [(1,)]


def test_a_log_that_cannot_be_read_is_told_and_the_others_are_restored(
    restoring: Restoring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MC37: errors are counted by their files."""
    from memd.intake import log_reading

    real = log_reading.tail.open_regular

    def refuse(path: bytes) -> tuple[int, object]:
        if b"2026-09" in path:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(log_reading.tail, "open_regular", refuse)
    restoring.write("DELETE FROM entry")

    report = restoring.run()

    assert report["errors"] == {f"{restoring.home.logs[0]}/2026-09-21.jsonl": "Permission denied"}
    assert report["entries"] == 4
