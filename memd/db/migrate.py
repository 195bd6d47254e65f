"""Migrations: numbered SQL files, forward only, each in one transaction with its number.

``PRAGMA user_version`` holds the schema's version. A newer one is refused with the file untouched; before an older
one is changed, a copy of it is put beside the database (R15).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from memd.db import backup, driver
from memd.db.driver import Connection
from memd.errors import DataUnusable


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name, its statements."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Every step there is, in order."""
    files = resources.files("memd.db").joinpath("migrations").iterdir()
    steps = [
        Migration(int(f.name[:4]), f.name[5:-4], f.read_text("utf-8"))
        for f in files
        if f.name.endswith(".sql")
    ]
    return sorted(steps, key=lambda step: step.number)


def version(connection: Connection) -> int:
    """The schema's version of this database; 0 for an empty one."""
    return int(str(connection.execute("PRAGMA user_version").get))


def migrate(connection: Connection, path: Path, backups: Path) -> int:
    """Bring the database to this program's schema; the number of steps taken."""
    steps = migrations()
    have, newest = version(connection), steps[-1].number
    if have > newest:
        raise DataUnusable(
            f"{path} has schema version {have}, this memd knows version {newest}: install the newer memd again"
        )
    todo = [step for step in steps if step.number > have]
    if todo and have:
        _copy_beside(connection, backups / f"before-schema-{newest}-from-{have}.db")
    for step in todo:
        with driver.transaction(connection):
            for _ in connection.execute(step.sql):
                pass
            connection.execute(f"PRAGMA user_version={step.number}")
    return len(todo)


def _copy_beside(connection: Connection, target: Path) -> None:
    """A whole copy, over one that an earlier try may have left."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    backup.take(connection, target, force=True)
