"""Two verbs over a disk that may be full or fail: what was accepted is durable, and nothing fails in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.db.driver import Connection, DiskFull
from memd.errors import Damaged, Fatal, StorageFailed
from tests import rows
from tests.failing_disk import Disk, failing_disk


@pytest.fixture
def disk() -> Iterator[Disk]:
    with failing_disk() as one:
        yield one


@pytest.fixture
def fatal() -> list[Fatal]:
    return []


@pytest.fixture
def db(disk: Disk, fatal: list[Fatal], tmp_path: Path) -> Iterator[Database]:
    with rows.database(tmp_path) as one:
        one.on_fatal = fatal.append
        yield one


def note(connection: Connection, key: str) -> None:
    connection.execute("INSERT INTO meta VALUES (?, '')", (key,))


def notes(connection: Connection) -> list[str]:
    return [str(key) for (key,) in connection.execute("SELECT key FROM meta ORDER BY key")]


@pytest.mark.parametrize("what", ["syncs", "writes"])
def test_after_one_failure_of_the_disk_the_write_is_done_on_a_new_connection(
    db: Database, disk: Disk, fatal: list[Fatal], tmp_path: Path, what: str
) -> None:
    db.write_now(note, "before")
    setattr(disk, what, 1)

    db.write_now(note, "during")

    assert db.read_now(notes) == ["before", "during"]
    assert not fatal
    db.close()
    with rows.database(tmp_path) as again:
        assert again.read_now(notes) == ["before", "during"]


@pytest.mark.parametrize("what", ["syncs", "writes"])
def test_a_disk_that_goes_on_failing_is_fatal_and_leaves_the_database_as_it_was(
    db: Database, disk: Disk, fatal: list[Fatal], what: str
) -> None:
    db.write_now(note, "before")
    setattr(disk, what, 1000)

    with pytest.raises(StorageFailed):
        db.write_now(note, "during")

    assert [error.exit_code for error in fatal] == [74]
    assert db.read_now(notes) == ["before"]


def test_on_a_full_disk_writes_are_refused_reads_go_on_and_it_ends_by_itself(
    db: Database, disk: Disk, fatal: list[Fatal]
) -> None:
    db.write_now(note, "before")
    disk.full = True

    with pytest.raises(DiskFull) as caught:
        db.write_now(note, "during")

    assert caught.value.transient
    assert db.read_now(notes) == ["before"]
    disk.full = False
    db.write_now(note, "after")
    assert db.read_now(notes) == ["after", "before"]
    assert not fatal


def test_damage_that_a_query_meets_is_fatal_and_says_what_to_do(
    db: Database, fatal: list[Fatal], tmp_path: Path
) -> None:
    db.write_now(note, "before")
    root = db.read_now(lambda c: int(c.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'").get))
    db.close()
    with (tmp_path / "memd.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xaa" * 4096)
    again = Database(tmp_path / "memd.db")
    again.on_fatal = fatal.append
    again.open()

    with pytest.raises(Damaged, match="start memd again"):
        again.read_now(notes)

    again.close()
    assert [error.exit_code for error in fatal] == [75]


def test_a_reader_for_whom_no_file_can_be_opened_is_busy_not_fatal(
    db: Database, fatal: list[Fatal], tmp_path: Path
) -> None:
    """Descriptors used up: the same question may be answered a moment later."""
    db.write_now(note, "before")
    (tmp_path / "memd.db").rename(tmp_path / "away")
    (tmp_path / "memd.db").mkdir()

    with pytest.raises(Exception, match="cannot be opened now") as caught:
        db.read_now(notes)

    assert getattr(caught.value, "transient", False)
    (tmp_path / "memd.db").rmdir()
    (tmp_path / "away").rename(tmp_path / "memd.db")
    assert db.read_now(notes) == ["before"]
    assert not fatal


def test_the_memory_of_work_on_everything_may_be_given_back_however_it_ends(db: Database) -> None:
    given_back: list[int] = []
    db.after_apart = lambda: given_back.append(1)

    assert asyncio.run(db.apart(lambda connection, over: connection.execute("SELECT 7").get)) == 7
    with pytest.raises(ZeroDivisionError):
        asyncio.run(db.apart(lambda connection, over: 1 // 0))

    assert given_back == [1, 1]
