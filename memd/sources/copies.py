"""Copies of the database beside it, backups and damaged ones: what was forgotten since then is in them still."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

from memd.db import aside, backup, backup_folder, check, driver, foreign, migrate
from memd.db.driver import Connection
from memd.errors import Damaged, MemdError
from memd.sources import curated, forgetting
from memd.turns import forget, tombstones

_COMPANIONS = ("", "-wal", "-shm")


def listing(database: Path) -> list[Path]:
    """Every copy beside the database: backups in their folder, whatever they are called, and what was set aside."""
    folder = database.parent / "backups"
    backups = [kept.path for kept in backup_folder.listing(folder)]
    others = (path for path in sorted(folder.glob("*")) if path not in backups and path.suffix != backup.PART)
    return [*backups, *filter(foreign.is_ours, others), *aside.kept(database)]


def hold(copy: Path, turns: Sequence[str], marks: Collection[bytes]) -> bool:
    """True where the copy holds one of these turns, or what has one of these marks, or cannot be read to its end."""
    try:
        with driver.translated(), driver.reading(copy) as connection:
            return bool(forget.rows_of(connection, turns) or (marks and curated.returned(connection, marks)))
    except MemdError:
        return True


def cleanse(copy: Path, keys: Collection[bytes]) -> str | None:
    """Take out of a copy what has a tombstone: "rewritten", or "removed" where it is damaged or of another version.

    None where it holds nothing of it.
    """
    try:
        with driver.looking(copy) as connection:
            if not _holds(connection, keys):
                return None
            ours = migrate.version(connection) == migrate.newest()
        if ours:
            _rewrite(copy, keys)
            return "rewritten"
    except Damaged:
        pass
    for companion in _COMPANIONS:
        copy.with_name(copy.name + companion).unlink(missing_ok=True)
    return "removed"


def _holds(connection: Connection, keys: Collection[bytes]) -> bool:
    turns = connection.execute("SELECT id FROM turn")
    return any(tombstones.of_turn(str(turn)) in keys for (turn,) in turns) or bool(
        curated.returned(connection, keys)
    )


def _rewrite(copy: Path, keys: Collection[bytes]) -> None:
    """The copy without it, again one file; its time still says up to when it holds everything."""
    before = os.stat(copy)
    with driver.translated(), closing(driver.connect(copy, write=True)) as connection:
        with driver.transaction(connection):
            forgetting.again(connection, keys)
        check.compact(connection)
        connection.execute("PRAGMA journal_mode=DELETE")
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
