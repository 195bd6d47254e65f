"""Backups: one sound file of one moment, or nothing."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import backup, check, driver
from memd.db.backup import Backup
from memd.db.database import Database, Over
from memd.db.driver import Connection, DiskFull
from memd.errors import BadRequest, Busy, Degraded
from tests.rows import database, store, turn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(n, f"word{n} of the turn " + "x" * 400) for n in range(2000)])
        yield db


async def taken(db: Database, target: Path, **options: object) -> Backup:
    def work(connection: Connection, over: Over) -> Backup:
        return backup.take(connection, target, over=over, **options)  # type: ignore[arg-type]  # as the test says

    return await db.apart(work)


def take(db: Database, target: Path, **options: object) -> Backup:
    return asyncio.run(taken(db, target, **options))


def opened(path: Path) -> Database:
    db = Database(path)
    db.open()
    return db


def test_a_backup_is_one_private_file_that_opens_as_the_database(db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    made = take(db, folder / "copy.db")

    assert [path.name for path in folder.iterdir()] == ["copy.db"]
    assert (made.turns, made.bytes) == (2000, (folder / "copy.db").stat().st_size)
    assert stat.S_IMODE((folder / "copy.db").stat().st_mode) == 0o600
    copy = opened(folder / "copy.db")
    assert all(one.ok for one in copy.read_now(check.faults, None))
    assert (
        copy.read_now(lambda c: c.execute("SELECT count(*) FROM turn_fts WHERE turn_fts MATCH 'word7'").get)
        == 1
    )
    copy.close()


def test_what_is_written_meanwhile_waits_for_nothing_and_is_not_in_the_copy(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "COPY_PAGES", 16)
    steps = []

    def tell(done: int, whole: int) -> None:
        steps.append((done, whole))
        store(db, [turn(5000 + len(steps), "written meanwhile")])

    made = take(db, tmp_path / "copy.db", tell=tell)

    assert len(steps) > 10
    assert steps[-1][0] == steps[-1][1]
    assert made.turns == 2000
    copy = opened(tmp_path / "copy.db")
    assert copy.read_now(lambda c: c.execute("SELECT count(*) FROM turn").get) == 2000
    copy.close()


def test_what_is_there_stays_unless_it_is_forced(db: Database, tmp_path: Path) -> None:
    for name in ("copy.db", "other.db.part"):
        (tmp_path / name).write_text("precious")

    for target in (tmp_path / "copy.db", tmp_path / "other.db"):
        with pytest.raises(BadRequest, match=r"is there already; --force"):
            take(db, target)
    assert (tmp_path / "copy.db").read_text() == "precious"
    assert take(db, tmp_path / "copy.db", force=True).turns == 2000


@pytest.mark.parametrize(
    ("target", "says"), [("missing/copy.db", "missing cannot be used: No such"), ("out", "is a folder")]
)
def test_where_it_cannot_be_put_is_said(db: Database, tmp_path: Path, target: str, says: str) -> None:
    (tmp_path / "out").mkdir()

    with pytest.raises(BadRequest, match=says):
        take(db, tmp_path / target, force=True)


def test_it_is_not_begun_where_there_is_no_room(db: Database, tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match=r"MB are free and .* are to stay free"):
        take(db, tmp_path / "copy.db", reserve=1 << 60)

    assert not list(tmp_path.glob("copy*"))


def test_a_copy_that_is_called_off_leaves_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "COPY_PAGES", 16)

    async def call_off() -> None:
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        work = asyncio.create_task(
            taken(db, tmp_path / "copy.db", tell=lambda done, whole: loop.call_soon_threadsafe(begun.set))
        )
        await begun.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await db.apart(lambda connection, over: None)  # one after the other: it is over now

    asyncio.run(call_off())

    assert not list(tmp_path.glob("copy*"))


def test_closing_the_database_ends_a_copy(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "COPY_PAGES", 1)
    other = opened(db.path)
    closing = threading.Thread(target=other.close)

    def tell(done: int, whole: int) -> None:
        if done < whole and not closing.is_alive():
            closing.start()

    with pytest.raises(Busy):
        take(other, tmp_path / "copy.db", tell=tell)

    closing.join()
    assert not list(tmp_path.glob("copy*"))


def test_a_damaged_index_is_no_backup(db: Database, tmp_path: Path) -> None:
    db.write_now(
        lambda c: c.execute(
            "UPDATE turn_fts_data SET block = zeroblob(length(block)) WHERE id = (SELECT max(id) FROM turn_fts_data)"
        )
    )

    with pytest.raises(Degraded, match=r"not sound.*memctl repair"):
        take(db, tmp_path / "copy.db")

    assert not list(tmp_path.glob("copy*"))
    assert [one.name for one in db.read_now(check.faults, None) if not one.ok] == ["text index"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_said(db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)

    with pytest.raises(BadRequest, match=r"closed/copy.db.part cannot be made: Permission denied"):
        take(db, folder / "copy.db")
