"""The data folder of mait-code: what lies where in it, and its database as a copy. Nothing is ever written there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import BadRequest, Busy, Damaged, MemdError

TRIES = 5
COPIES = "import-"
NEEDED = {"id", "content", "entry_type"}

_PARTS = ("", "-wal", "-journal")


@dataclass(frozen=True, slots=True)
class MaitCodeHome:
    """The folder, and where its database lies."""

    folder: Path
    database: Path

    @property
    def memory_md(self) -> Path:
        """The file of curated facts."""
        return self.folder / "memory" / "MEMORY.md"

    @property
    def observations(self) -> Path:
        """The folder of observation logs."""
        return self.folder / "memory" / "observations"

    @property
    def aliases(self) -> Path:
        """The map of former project names."""
        return self.folder / "project-aliases.json"


def find(path: str) -> MaitCodeHome | None:
    """The home at a path, the folder or its database; None where there is none."""
    for folder, database in _places(path):
        if _unreadable(database) is None:
            return MaitCodeHome(folder, database)
    return None


def why_none(path: str) -> str:
    """Why there is no home at a path: its database is not there, or cannot be read."""
    for _, database in _places(path):
        if database.is_file():
            return f"{database} cannot be read: {_unreadable(database)}"
    return "its memory.db is not there"


def is_ours(home: MaitCodeHome, copies: Path) -> bool:
    """True where the tables of its database are mait-code's."""
    try:
        with opened(home, copies):
            return True
    except MemdError:
        return False


@contextmanager
def opened(home: MaitCodeHome, copies: Path) -> Iterator[Connection]:
    """Its database, read from a copy below ``copies``: to look at one in WAL mode would write beside it.

    BadRequest where it is damaged, or none of mait-code's.
    """
    for left in copies.glob(COPIES + "*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=COPIES, dir=copies) as folder:
        copy = Path(folder) / "memory.db"
        _copy(home.database, copy)
        try:
            with driver.looking(copy) as connection:
                if not columns(connection, "memory_entries") >= NEEDED:
                    raise BadRequest(
                        f"{home.database} is no database of mait-code: it has no table of entries"
                    )
                yield connection
        except Damaged as error:
            raise BadRequest(f"{home.database} is damaged, nothing is imported: {error.detail}") from None


def columns(connection: Connection, table: str) -> set[str]:
    """The columns of a table; none where there is no such table."""
    return {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}


def _copy(database: Path, copy: Path) -> None:
    """The database with what is not in it yet, all of one moment."""
    for _ in range(TRIES):
        before = _state(database)
        for part in _PARTS:
            source, target = Path(f"{database}{part}"), Path(f"{copy}{part}")
            target.unlink(missing_ok=True)
            if source.is_file():
                shutil.copyfile(source, target)
        if _state(database) == before:
            return
    raise Busy(f"{database} changes all the time: end what writes to it, and import it then")


def _state(database: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for part in _PARTS:
        try:
            info = os.stat(f"{database}{part}")
            found.append((info.st_size, info.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


def _places(path: str) -> list[tuple[Path, Path]]:
    """Where a home and its database may lie."""
    named = Path(path)
    return [
        (named, named / "memory.db"),
        (named, named / "memory" / "memory.db"),
        (named.parent, named),
    ]


def _unreadable(path: Path) -> str | None:
    """Why this is no database that can be read; None where it begins like one."""
    if not path.is_file():
        return "there is no such file"
    try:
        with path.open("rb") as file:
            if file.read(16) == b"SQLite format 3\0":
                return None
    except OSError as error:
        return str(error.strerror)
    return "it is damaged, or no SQLite database"
