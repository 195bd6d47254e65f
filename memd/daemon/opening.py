"""Opening the database: a newer one is refused, a damaged one salvaged, an older one migrated (R7, R15).

The pages are checked for a second at most, so that memd is soon there; where that did not do for all of them, it is
done behind, once memd serves.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from memd.clock import Clock, iso
from memd.config.paths import Paths
from memd.db import aside, check, driver, migrate, salvage
from memd.db.database import Database
from memd.db.driver import Capabilities, Connection, DiskFull
from memd.errors import CannotCreate, Damaged, DataUnusable, Degraded, Timeout, TryAgain
from memd.services import Troubles
from memd.sources import forgetting
from memd.turns import tombstone_file

_log = structlog.get_logger("memd.opening")

CHECK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database, what its SQLite can do, whether it is a new one, and whether every page of it was seen."""

    db: Database
    capabilities: Capabilities
    fresh: bool
    checked: bool


def open_database(paths: Paths, troubles: Troubles, clock: Clock, tell: Callable[[str], None]) -> Opened:
    """The database, sound and of this program's schema. Fatal where it cannot be had.

    ``tell`` hears of what takes longer.
    """
    path, checked = paths.database, True
    aside.finish(path)
    fresh = not path.exists() or not path.stat().st_size
    if not fresh:
        path.chmod(0o600)
        try:
            with driver.looking(path) as connection:
                migrate.refuse_newer(connection, path)
            checked = _check(path)
        except Damaged as damage:
            tell("salvaging what can be read of a damaged database")
            _salvage(path, damage.detail or "", clock)
    db = Database(path)
    try:
        capabilities = db.open(lambda connection: _prepare(connection, paths, tell))
        _tell(db, troubles)
    except BaseException:
        db.close()
        raise
    return Opened(db, capabilities, fresh, checked)


def forget_again(db: Database, troubles: Troubles) -> bool:
    """What was forgotten goes from a database too that was made anew or brought back since; whether anything went."""
    try:
        return db.write_now(forgetting.level, tombstone_file.beside(db.path))
    except (Degraded, DiskFull) as error:
        troubles.raise_(
            "forgotten",
            f"what was forgotten may come back: {error.message}",
            "mend that and start memd anew: memctl service restart",
        )
        return False


def still_aside(path: Path, troubles: Troubles) -> None:
    """The trouble ends once the owner has removed what was set aside."""
    if not aside.kept(path):
        troubles.clear("database")


async def check_behind(path: Path) -> None:
    """Look at every page, however long it takes. Damaged where something is wrong; ends early when cancelled."""
    over = threading.Event()
    try:
        await asyncio.get_running_loop().run_in_executor(None, check.require_sound, path, over.is_set)
        _log.info("pages_checked")
    except Timeout:
        pass
    finally:
        over.set()


def _check(path: Path) -> bool:
    """False where the time did not do for every page. Damaged where one is wrong, or was found so while memd ran."""
    if why := aside.condemned(path):
        raise driver.damaged(why)
    end = time.monotonic() + CHECK_SECONDS
    try:
        check.require_sound(path, lambda: time.monotonic() > end)
    except Timeout:
        return False
    return True


def _salvage(path: Path, why: str, clock: Clock) -> None:
    """A new database of what can be read takes the place of the damaged one, which is set aside."""
    _log.warning("database_damaged", why=why)
    began = clock.monotonic()
    target = aside.name(path, iso(clock.now_ms()))
    try:
        turns = salvage.fill(aside.part(path), path, why, target.name)
        aside.swap(path, target)
    except DiskFull as error:
        aside.finish(path)
        raise TryAgain(
            f"the database is damaged ({why}), and there is no room to salvage it:"
            f" free {path.stat().st_size // 2**20 + 1} MB in {path.parent}; nothing was changed"
        ) from error
    except CannotCreate as error:
        raise DataUnusable(
            f"the database is damaged ({why}), and there is no place to salvage it to: {error.message}"
        ) from error
    _log.warning(
        "database_salvaged", turns=turns, aside=target.name, seconds=round(clock.monotonic() - began, 1)
    )


def _prepare(connection: Connection, paths: Paths, tell: Callable[[str], None]) -> None:
    if 0 < migrate.version(connection) < migrate.newest():
        tell("bringing the database to this version")
    steps = migrate.migrate(connection, paths.database, paths.backups)
    paths.database.chmod(0o600)
    if steps:
        _log.info("schema", steps=steps, version=migrate.version(connection))


def _tell(db: Database, troubles: Troubles) -> None:
    """A damaged database that lies aside is a trouble, until its owner has seen to it."""
    if kept := aside.kept(db.path):
        troubles.raise_(
            "database",
            db.read_now(salvage.account) or f"a damaged database was set aside: {kept[-1]}",
            "`memctl verify` checks what memd has now, `memctl restore` brings back entries that observation logs hold,"
            f" a backup may hold those that were made by hand; remove {kept[-1]} once you miss nothing",
        )
