"""Cursors: the same file is known again, another one never passes for it (R4)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.db.driver import Connection
from memd.sources import cursors, tail
from memd.sources.cursors import Cursor
from tests.rows import database

HEAD, TAIL = cursors.HEAD_BYTES, cursors.TAIL_BYTES
CONTENT = b"".join(b"line %d\n" % n for n in range(500))
assert len(CONTENT) > HEAD + TAIL


def cursor_of(path: Path, offset: int | None = None) -> Cursor:
    descriptor, info = tail.open_regular(os.fsencode(path))
    offset = info.st_size if offset is None else offset
    head, last = cursors.fingerprint(descriptor, offset)
    os.close(descriptor)
    return Cursor(str(path), info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, offset, head, last)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "file.jsonl"
    made.write_bytes(CONTENT)
    return made


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more\n")


def cut(path: Path) -> None:
    os.truncate(path, len(CONTENT) - 1)


def overwrite(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"X")


def replace(path: Path) -> None:
    twin = path.with_suffix(".tmp")
    twin.write_bytes(path.read_bytes())
    twin.replace(path)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda path: None, True),
        (os.utime, True),
        (grow, True),
        (cut, False),
        (lambda path: path.write_bytes(b"shorter\n"), False),
        (lambda path: path.write_bytes(b"other " * 1000), False),
        (lambda path: overwrite(path, 0), False),
        (lambda path: overwrite(path, HEAD - 1), False),
        (lambda path: overwrite(path, len(CONTENT) - TAIL), False),
        (lambda path: overwrite(path, len(CONTENT) - 1), False),
        (replace, False),  # the same bytes in another inode are read anew; their ids make that harmless
    ],
)
def test_a_file_goes_on_where_inode_beginning_and_end_are_the_same(
    path: Path, change: Callable[[Path], object], same: bool
) -> None:
    known = cursor_of(path)

    change(path)

    assert cursors.is_of(os.fsencode(path), known) is same


def test_what_is_behind_the_offset_may_change(path: Path) -> None:
    known = cursor_of(path, HEAD + TAIL)

    overwrite(path, HEAD + TAIL)

    assert cursors.is_of(os.fsencode(path), known)


def test_any_change_of_size_time_or_inode_is_worth_a_look(path: Path) -> None:
    known = cursor_of(path)
    assert known.unchanged(path.stat())

    os.utime(path, ns=(0, known.mtime_ns + 1))
    assert not known.unchanged(path.stat())

    replace(path)
    os.utime(path, ns=(0, known.mtime_ns))
    assert path.stat().st_size == known.size
    assert not known.unchanged(path.stat())


def test_names_that_are_no_text_have_keys_of_their_own() -> None:
    assert cursors.key_of("/p/日本".encode()) == "/p/日本"
    assert cursors.key_of(b"/p/bad\xff") != cursors.key_of(b"/p/bad\xfe")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as opened:
        yield opened


def insert(connection: Connection, path: str) -> None:
    connection.execute(
        """INSERT INTO file (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)
             VALUES (?, 1, 2, 3, 4, 3, x'', x'', 's')""",
        (path,),
    )


def test_a_renamed_files_cursor_replaces_a_stale_one_at_its_new_place(db: Database) -> None:
    db.write_now(insert, "/old")
    db.write_now(insert, "/new")
    db.write_now(cursors.mark_missing, ["/old", "/new"], [])

    db.write_now(cursors.rename, "/old", "/new")

    assert [cursor.path for cursor in db.read_now(cursors.load)] == ["/new"]
    assert db.read_now(lambda c: c.execute("SELECT id, missing FROM file").fetchall()) == [(1, 0)]


def test_files_that_went_and_came_back_are_marked_so(db: Database) -> None:
    for path in ("/a", "/b"):
        db.write_now(insert, path)

    db.write_now(cursors.mark_missing, ["/a", "/b"], [])
    db.write_now(cursors.mark_missing, [], ["/b"])

    missing = db.read_now(lambda c: c.execute("SELECT path FROM file WHERE missing").fetchall())
    assert missing == [("/a",)]
