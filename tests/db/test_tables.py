"""Records as they lie in the pages, and the rows they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memd.db import tables
from memd.db.driver import Connection
from memd.db.pages import Pages


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    one = apsw.Connection(str(tmp_path / "t.db"))
    one.execute("PRAGMA synchronous=OFF")
    yield one
    one.close()


def copied(connection: Connection, name: str) -> list[tuple[object, ...]]:
    """The rows of a table, read from its pages."""
    [table] = [table for table in tables.ordinary(connection) if table.name == name]
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get
    pages = Pages(Path(connection.filename))
    found = [row for _, records in pages.tree(root) for row in table.rows(records)]
    pages.close()
    return list(found)


def test_every_kind_of_value_is_read_as_sqlite_wrote_it(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    whole = [0, 1, -1, 127, 128, -129, 40_000, -(2**23), 2**31, -(2**47), 2**62, -(2**63), 2**63 - 1]
    values = [None, *whole, 1.5, -0.25, "", "é日", "x" * 5000, b"", b"\0\xff", b"y" * 100_000]
    connection.executemany("INSERT INTO t VALUES (?, ?)", enumerate(values, -3))

    assert copied(connection, "t") == list(enumerate(values, -3))


def test_a_record_older_than_its_column_gets_the_columns_default(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL)")
    connection.execute("INSERT INTO t VALUES (5, 'old')")
    connection.execute("ALTER TABLE t ADD COLUMN b INTEGER NOT NULL DEFAULT 7")
    connection.execute("INSERT INTO t VALUES (6, 'new', 8)")

    assert copied(connection, "t") == [(5, "old", 7), (6, "new", 8)]


def test_a_table_without_rowid_keeps_its_key_in_front(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (n INTEGER, k TEXT, b BLOB, PRIMARY KEY (k, b)) WITHOUT ROWID")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?)", [(n, f"k{n:05}", b"z" * 300) for n in range(500)]
    )

    [table] = tables.ordinary(connection)

    assert [column.name for column in table.columns] == ["k", "b", "n"]
    assert sorted(copied(connection, "t")) == [(f"k{n:05}", b"z" * 300, n) for n in range(500)]


def test_what_could_not_have_been_stored_is_no_row(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b BLOB)")
    [table] = tables.ordinary(connection)

    assert table.row(1, (None, "a", b"b")) == (1, "a", b"b")
    for record in [
        (1, "a", b"b"),
        (None, None, b"b"),
        (None, 2, b"b"),
        (None, "a", "b"),
        (None, "a", b"b", 1),
    ]:
        assert table.row(1, record) is None


def test_rows_that_break_a_constraint_are_passed_over(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE CHECK (a <> 'no'))")
    [table] = tables.ordinary(connection)

    table.insert(connection, [(1, "a"), (2, "a"), (3, "no"), (4, "b")])

    assert connection.execute("SELECT id FROM t").fetchall() == [(1,), (4,)]
