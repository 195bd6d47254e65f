"""Every schema there ever was comes up to this program's, wherever a kill falls, or is left as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.db import check, driver, journal, migrate
from memd.db.driver import Connection, DiskFull
from memd.errors import CannotCreate
from tests.db import schemas
from tests.failing_disk import failing_disk

NEWEST = migrate.newest()


@contextmanager
def opened(path: Path) -> Iterator[Connection]:
    with driver.translated():
        connection = driver.connect(path, write=True)
        try:
            yield connection
        finally:
            connection.close()


def old(folder: Path, version: int) -> Path:
    """The database that a memd of this version left."""
    path = folder / "memd.db"
    with opened(path) as connection:
        schemas.load(connection, version)
    return path


def upgrade(path: Path) -> int:
    with opened(path) as connection:
        return migrate.migrate(connection, path, path.parent / "backups")


def shape(connection: Connection) -> set[tuple[str, str]]:
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'")
    return {(str(name), str(sql)) for name, sql in rows}


def turns(connection: Connection) -> list[tuple[str, str]]:
    found = connection.execute(
        "SELECT t.id, c.text FROM turn t JOIN content c ON c.id = t.content_id ORDER BY t.rowid"
    )
    return [(str(turn), str(text)) for turn, text in found]


TURNS = [(f"turn-{n}", schemas.TEXTS[content]) for n, content in enumerate((0, 1, 2, 2, 3), 1)]


def assert_current(path: Path) -> None:
    """The database is what a new one is, holds its turns and stands every check."""
    with opened(path) as connection, opened(path.with_name("new.db")) as new:
        migrate.build(new, NEWEST)
        assert migrate.version(connection) == NEWEST
        assert shape(connection) == shape(new)
        assert turns(connection) == TURNS
        assert connection.execute("SELECT rowid FROM turn_fts WHERE turn_fts MATCH 'cache'").fetchall() == [
            (1,)
        ]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert [one for one in check.faults(connection, None) if not one.ok] == []
    path.with_name("new.db").unlink()


@pytest.mark.parametrize("version", schemas.VERSIONS)
def test_a_database_of_every_version_comes_up_to_date_with_all_it_holds(tmp_path: Path, version: int) -> None:
    assert schemas.file(version).exists(), "a new schema needs its fixture: python -m tests.db.schemas"

    steps = upgrade(old(tmp_path, version))

    assert steps == len([one for one in schemas.VERSIONS if one > version])
    assert_current(tmp_path / "memd.db")
    assert upgrade(tmp_path / "memd.db") == 0


@pytest.mark.parametrize("version", schemas.VERSIONS[:-1])
def test_before_an_upgrade_a_copy_of_the_old_database_is_put_beside_it(tmp_path: Path, version: int) -> None:
    path = old(tmp_path, version)
    with opened(path) as connection:
        before = list(schemas.dump(connection))

    upgrade(path)

    [copy] = (tmp_path / "backups").iterdir()
    assert copy.name == f"before-schema-{NEWEST}-from-{version}.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    with opened(copy) as connection:
        assert list(schemas.dump(connection)) == before


@pytest.mark.parametrize("version", sorted({0, 1, schemas.VERSIONS[-2]}))
def test_a_kill_at_any_statement_is_made_good_by_the_next_start(tmp_path: Path, version: int) -> None:
    """What lies on the disk before each statement is what a kill leaves there."""
    home = tmp_path / "home"
    home.mkdir()
    path = old(home, version) if version else home / "memd.db"
    moments: list[Path] = []

    def look(cursor: object, sql: str, bindings: object) -> bool:
        moments.append(tmp_path / f"killed-{len(moments)}")
        shutil.copytree(home, moments[-1])
        return True

    with opened(path) as connection:
        connection.set_exec_trace(look)
        migrate.migrate(connection, path, home / "backups")

    assert len(moments) > 4
    for moment in moments:
        killed = moment / "memd.db"
        upgrade(killed)
        if version:
            assert_current(killed)
        with opened(killed) as connection:
            assert migrate.version(connection) == NEWEST


def test_without_a_copy_of_the_old_database_there_is_no_upgrade(tmp_path: Path) -> None:
    path = old(tmp_path, 1)
    (tmp_path / "backups" / f"before-schema-{NEWEST}-from-1.db").mkdir(parents=True)

    with pytest.raises(CannotCreate, match="is a folder"):
        upgrade(path)

    with opened(path) as connection:
        assert migrate.version(connection) == 1


@pytest.mark.parametrize("below", ["backups", "memd.db"])
def test_where_the_disk_is_full_the_old_database_stays_as_it_was(tmp_path: Path, below: str) -> None:
    path = old(tmp_path, 1)
    with opened(path) as connection:
        before = list(schemas.dump(connection))

    with failing_disk() as disk:
        disk.full, disk.below = True, below
        with pytest.raises(DiskFull):
            upgrade(path)

    with opened(path) as connection:
        assert list(schemas.dump(connection)) == before
    upgrade(path)
    assert_current(path)


def test_a_change_of_the_time_before_a_migration_is_undone_after_it(tmp_path: Path) -> None:
    with opened(tmp_path / "memd.db") as connection:
        migrate.build(connection, 12)
        with driver.transaction(connection):
            connection.execute("INSERT INTO project VALUES (1, 'app', '/app', 'cwd')")
            connection.execute(
                "INSERT INTO session (key, format, title) VALUES ('a', 'f', 'A'), ('b', 'f', 'B')"
            )

        def work() -> None:
            connection.execute("UPDATE session SET project_id = 1, title = 'other' WHERE key = 'a'")
            connection.execute("DELETE FROM session WHERE key = 'b'")

        with driver.transaction(connection):
            journal.record(connection, "test", 1, work)
        migrate.build(connection, NEWEST)
        with driver.transaction(connection):
            journal.undo(connection, None, 2)

        found = connection.execute("SELECT key, title, project_id, user_id FROM session ORDER BY key")
        assert found.fetchall() == [("a", "A", None, None), ("b", "B", None, None)]
