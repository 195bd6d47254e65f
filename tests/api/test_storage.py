"""Connections of the library face: memd's own databases and new ones, and no other program's."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memd import api

Left = dict[str, tuple[bytes, int]]


def files(folder: Path) -> Left:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode)
        for path in folder.iterdir()
        if path.suffix != ".db-shm"  # of no content
    }


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("memory_entries", "import --format mait-code"),
        ("contacts", "another program's database"),
        ("turn", "another program's database"),
    ],
)
def test_another_programs_database_is_refused_and_left_as_it_is(
    tmp_path: Path, mode: str, table: str, said: str
) -> None:
    path = tmp_path / "other" / "memory.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA journal_mode={mode}")
        other.execute(f"CREATE TABLE {table} (id, content)")
        other.commit()
        path.chmod(0o644)
        while_open = files(path.parent)
        with pytest.raises(ValueError, match=said):
            api.get_connection(path)
        assert files(path.parent) == while_open
    closed = files(path.parent)

    with pytest.raises(ValueError, match=said):
        api.get_connection(path)

    assert files(path.parent) == closed
    assert list(path.parent.iterdir()) == [path]


def test_a_database_whose_tables_stand_in_its_wal_alone_is_refused_too(tmp_path: Path) -> None:
    path, left = tmp_path / "app.db", tmp_path / "left"
    left.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE contacts (id)")
        for name in ("app.db", "app.db-wal"):
            shutil.copy(tmp_path / name, left)
    held = files(left)

    with pytest.raises(ValueError, match="another program's database"):
        api.get_connection(left / "app.db")

    assert files(left) == held


def test_an_empty_file_and_an_empty_database_become_memds(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with closing(sqlite3.connect(tmp_path / "vacuumed.db")) as other:
        other.execute("VACUUM")

    for name in ("empty.db", "vacuumed.db", "new/memd.db"):
        for _ in range(2):  # the second time it is known by its tables
            with api.connection(tmp_path / name) as conn:
                assert api.list_entries(conn) == []
