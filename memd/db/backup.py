"""A copy of the whole database as one file, taken while others read and write.

The rule: what has the target's name is whole, sound, 0600 and without a WAL, or it is not there. The copy grows as
``<name>.part`` beside it, is checked there, and takes its name in one step.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memd.db import driver
from memd.db.driver import Connection, DiskFull
from memd.errors import BadRequest, Busy, CannotCreate, Damaged, Degraded, MemdError, StorageFailed, Timeout

PART = ".part"
_BESIDE = ("", "-journal", "-wal", "-shm")

Over = Callable[[], bool]
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Backup:
    """A finished copy: where it is, how large, how many turns it holds, of which schema it is."""

    path: Path
    bytes: int
    turns: int
    schema: int


def take(
    connection: Connection,
    target: Path,
    *,
    force: bool = False,
    reserve: int = 0,
    over: Over = lambda: False,
    tell: Tell = lambda done, whole: None,
) -> Backup:
    """Copy what ``connection`` sees to ``target``; ``tell`` hears how many bytes of how many are done.

    BadRequest where it cannot be put there (with ``force`` it goes over what is there), DiskFull where there is not
    room for it and ``reserve`` more bytes, Degraded where the copy is not sound, Busy where it is called ``over``.
    """
    # The first read begins the snapshot that the copy is of.
    turns, schema = (_number(connection, q) for q in ("SELECT count(*) FROM turn", "PRAGMA user_version"))
    _check_room(target.parent, size(connection), reserve)
    part = _part(target, force=force)
    try:
        if fault := _fill(connection, part, over, tell):
            raise Degraded(f"the copy is not sound, so the database is not: {fault}; run `memctl repair`")
        os.replace(part, target)
        _sync(target.parent)
    except Timeout:
        raise Busy("memd is stopping, or nobody waits for the copy any more") from None
    except OSError as error:
        raise BadRequest(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        remove_part(part)
    return Backup(target, target.stat().st_size, turns, schema)


def size(connection: Connection) -> int:
    """How many bytes a copy takes."""
    return _number(connection, "PRAGMA page_size") * _number(connection, "PRAGMA page_count")


def differs(connection: Connection, path: Path) -> bool:
    """Whether something was stored or removed since the backup at ``path``, or it is none; the queue does not count.

    Seen by the number of rows and the last row of every table, so a row changed in place is not.
    """
    try:
        with driver.translated(), driver.reading(path) as copy:
            return _shape(copy) != _shape(connection)
    except MemdError:
        return True


def remove_part(part: Path) -> None:
    """Remove an unfinished copy, with what SQLite puts beside it."""
    for ending in _BESIDE:
        part.with_name(part.name + ending).unlink(missing_ok=True)


def _number(connection: Connection, query: str) -> int:
    return driver.number(connection.execute(query).get)


def _shape(connection: Connection) -> list[object]:
    tables = connection.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        " AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'job%' ORDER BY name"
    ).fetchall()
    return [
        (name, connection.execute(f'SELECT count(*), {"0" if bare else "max(rowid)"} FROM "{name}"').get)
        for name, bare in tables
    ]


def _check_room(folder: Path, size: int, reserve: int) -> None:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise BadRequest(f"the folder {folder} cannot be used: {error.strerror or error}") from error
    if free < size + reserve:
        raise DiskFull(
            f"the copy takes {_mb(size)} of disk in {folder}, where {_mb(free)} are free"
            + (f" and {_mb(reserve)} are to stay free" if reserve else "")
        )


def _part(target: Path, *, force: bool) -> Path:
    """An empty file of ours for the copy to grow in."""
    part = target.with_name(target.name + PART)
    if target.is_dir():
        raise BadRequest(f"{target} is a folder; name a file in it")
    if force:
        remove_part(part)
    for path in (target, part):
        if not force and os.path.lexists(path):
            raise BadRequest(f"{path} is there already; --force writes over it")
    try:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise BadRequest(f"{part} cannot be made: {error.strerror or error}") from error
    return part


def _fill(connection: Connection, part: Path, over: Over, tell: Tell) -> str:
    """Fill the part and check it; what is wrong with it, or nothing."""
    page = _number(connection, "PRAGMA page_size")

    def step(done: int, pages: int) -> None:
        if over():
            raise Timeout
        tell(done * page, pages * page)

    try:
        with driver.translated():
            driver.copy(connection, part, step)
            return driver.unsound(part, over)
    except DiskFull as error:
        raise DiskFull(f"no space left in {part.parent} for the copy; nothing of it was kept") from error
    except (StorageFailed, CannotCreate, Damaged) as error:
        raise Degraded(f"the copy to {part} failed: {error.message}") from error


def _sync(folder: Path) -> None:
    """The new name is on the disk when this returns."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
