"""Migrations: numbered SQL files, forward only; those that are due run in one transaction, with the version.

``PRAGMA user_version`` holds the schema's version. A newer one is refused with the file untouched; before an older
one is changed, a copy of it is put beside the database (R15).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from memd.db import backup, driver
from memd.db.driver import Connection
from memd.errors import BadRequest, CannotCreate, DataUnusable, Degraded


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name, its statements."""

    number: int
    name: str
    sql: str


@cache
def migrations() -> list[Migration]:
    """Every step there is, in order."""
    files = resources.files("memd.db").joinpath("migrations").iterdir()
    steps = [
        Migration(int(f.name[:4]), f.name[5:-4], f.read_text("utf-8"))
        for f in files
        if f.name.endswith(".sql")
    ]
    return sorted(steps, key=lambda step: step.number)


def newest() -> int:
    """The version that this program knows."""
    return migrations()[-1].number


def version(connection: Connection) -> int:
    """The schema's version of this database; 0 for an empty one."""
    return int(str(connection.execute("PRAGMA user_version").get))


def refuse_newer(connection: Connection, path: Path) -> None:
    """DataUnusable where a newer memd made the database."""
    have, known = version(connection), newest()
    if have > known:
        raise DataUnusable(
            f"{path} has schema version {have}, this memd knows version {known}: install the newer memd again"
        )


def migrate(connection: Connection, path: Path, backups: Path) -> int:
    """Bring the database to this program's schema, in one transaction; the number of steps taken."""
    refuse_newer(connection, path)
    have, target = version(connection), newest()
    if 0 < have < target:
        _copy_beside(connection, backups / f"before-schema-{target}-from-{have}.db")
    return build(connection, target)


def build(connection: Connection, target: int) -> int:
    """Take every step up to the ``target`` version that is not taken yet; how many there were."""
    have = version(connection)
    todo = [step for step in migrations() if have < step.number <= target]
    if not todo:
        return 0
    with driver.transaction(connection):
        for step in todo:
            for _ in connection.execute(step.sql):
                pass
            connection.execute(f"PRAGMA user_version={step.number}")
    return len(todo)


def _copy_beside(connection: Connection, target: Path) -> None:
    """A whole, checked copy, over one that an earlier try may have left. No upgrade without it."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        backup.take(connection, target, force=True)
    except BadRequest as error:
        raise CannotCreate(f"no copy can be put aside before the upgrade: {error.message}") from error
    except Degraded as error:
        raise driver.damaged(error.message) from error
