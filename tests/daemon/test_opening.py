"""Opening the database: whatever state it was left in, it ends up sound or the refusal says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.config.paths import Paths, resolve
from memd.daemon import opening
from memd.db import aside, driver
from memd.db.database import Database
from memd.errors import CannotCreate, Damaged, DataUnusable, TryAgain
from memd.services import Troubles
from tests import damage, rows
from tests.failing_disk import failing_disk

TURNS = 200
PUT_ASIDE = "memd.db.corrupt-20260921T141320.000Z"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    one = resolve({"MEMD_HOME": str(tmp_path)})
    one.data.mkdir()
    return one


@pytest.fixture
def filled(paths: Paths) -> Path:
    """The file of a database that was closed in order."""
    with rows.database(paths.data) as db:
        rows.store(db, [rows.turn(n, f"word{n} and more") for n in range(TURNS)])
    return paths.database


@contextmanager
def opened(paths: Paths, troubles: Troubles | None = None) -> Iterator[opening.Opened]:
    clock = FixedClock()
    one = opening.open_database(paths, troubles or Troubles(clock), clock, lambda line: None)
    try:
        yield one
    finally:
        one.db.close()


def turns(db: Database) -> int:
    return db.read_now(lambda c: int(c.execute("SELECT count(*) FROM turn").get))


def state(path: Path) -> dict[str, bytes]:
    """The files of the database but for SQLite's shared memory, which holds nothing of its own."""
    return {
        one.name: one.read_bytes() for one in path.parent.glob("memd.db*") if not one.name.endswith("-shm")
    }


def test_a_sound_database_is_opened_whole_and_nobody_is_troubled(paths: Paths, filled: Path) -> None:
    troubles = Troubles(FixedClock())

    with opened(paths, troubles) as one:
        assert one.checked
        assert turns(one.db) == TURNS
    assert troubles.all() == []


def test_a_damaged_one_is_set_aside_and_salvaged_and_that_is_told_until_the_file_is_removed(
    paths: Paths, filled: Path
) -> None:
    damage.overwrite(filled, 2)
    damaged = filled.read_bytes()
    troubles = Troubles(FixedClock())

    with opened(paths, troubles) as one:
        assert turns(one.db) == TURNS

    kept = filled.with_name(PUT_ASIDE)
    assert kept.read_bytes() == damaged
    [trouble] = troubles.all()
    assert f"{TURNS} turns were salvaged" in trouble.what
    assert kept.name in trouble.what
    assert str(kept) in trouble.hint
    with opened(paths, again := Troubles(FixedClock())):
        assert again.all() == troubles.all()
        opening.still_aside(filled, again)
        assert again.all()
        kept.unlink()
        opening.still_aside(filled, again)
        assert not again.all()


def test_what_was_found_damaged_while_memd_ran_is_salvaged_without_another_look(
    paths: Paths, filled: Path
) -> None:
    aside.condemn(filled, "fts5: corruption")

    with opened(paths) as one:
        assert turns(one.db) == TURNS

    assert filled.with_name(PUT_ASIDE).exists()
    assert aside.condemned(filled) is None


def test_where_there_is_no_room_to_salvage_nothing_changes_and_the_refusal_says_how_much_is_needed(
    paths: Paths, filled: Path
) -> None:
    damage.overwrite(filled, 2)
    before = state(filled)

    with failing_disk() as disk:
        disk.full, disk.below = True, ".part"
        with pytest.raises(TryAgain, match=r"free \d+ MB in .*data") as caught, opened(paths):
            pass

    assert caught.value.exit_code == 75
    assert state(filled) == before
    with opened(paths) as one:
        assert turns(one.db) == TURNS


def test_where_no_new_file_can_be_made_it_is_final(
    paths: Paths, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage.overwrite(filled, 2)

    def refuse(path: Path) -> driver.Connection:
        raise CannotCreate(f"{path} cannot be made")

    monkeypatch.setattr(driver, "filling", refuse)
    with pytest.raises(DataUnusable, match="damaged") as caught, opened(paths):
        pass

    assert caught.value.exit_code == 65


@pytest.mark.parametrize("with_wal", [False, True])
def test_a_newer_database_is_refused_and_left_byte_for_byte(
    paths: Paths, filled: Path, with_wal: bool
) -> None:
    with rows.database(paths.data) as db:
        db.write_now(lambda connection: connection.execute("PRAGMA user_version=99"))
        while_open = state(filled)
    if with_wal:  # as after a kill
        for name, content in while_open.items():
            filled.with_name(name).write_bytes(content)
    before = state(filled)
    assert (len(before) == 2) is with_wal

    with pytest.raises(DataUnusable, match=r"version 99.*version \d+") as caught, opened(paths):
        pass

    assert caught.value.exit_code == 65
    assert state(filled) == before


def test_a_first_start_makes_the_database(paths: Paths) -> None:
    with opened(paths) as one:
        assert turns(one.db) == 0
    assert paths.database.stat().st_mode & 0o777 == 0o600


def test_where_the_time_does_not_do_for_every_page_the_rest_is_looked_at_behind(
    paths: Paths, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with rows.database(paths.data) as db:
        rows.store(db, [rows.turn(n, f"longer{n} " * 50, session="s2") for n in range(1500)])
    monkeypatch.setattr(opening, "CHECK_SECONDS", -1.0)
    with opened(paths) as one:
        assert not one.checked
        asyncio.run(opening.check_behind(filled))
    damage.overwrite(filled, *range(10, damage.count(filled), 40))
    with pytest.raises(Damaged):
        asyncio.run(opening.check_behind(filled))
