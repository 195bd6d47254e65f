"""Imports that were asked for, one after the other on a thread of their own, with their progress told on the way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import HistoryImportError, NotFound
from memd.importers import opencode
from memd.importers.report import ImportReport, MemoryReport
from memd.intake import history
from memd.intake.history import Import
from memd.intake.mait_code import home as homes
from memd.intake.mait_code.home import MaitCodeHome
from memd.services import ImportWish, Tell
from memd.sources.exclusions import Exclusions


class Imports:
    """``run`` is what the method ``import`` calls."""

    def __init__(
        self,
        db: Database,
        exclusions: Exclusions,
        copies: Path,
        take_home: Callable[[ImportWish, MaitCodeHome], MemoryReport],
        follow_up: Callable[[Connection], None],
        stored: Callable[[], None],
    ) -> None:
        self._db, self._exclusions, self._copies, self._take_home = db, exclusions, copies, take_home
        self._follow_up, self._stored = follow_up, stored
        self._thread = ThreadPoolExecutor(1, "memd-import")

    async def run(self, wish: ImportWish, tell: Tell) -> Mapping[str, object]:
        """The report of an import; it ends early where its caller is cancelled."""
        loop = asyncio.get_running_loop()
        off = threading.Event()

        def told(body: Mapping[str, object]) -> None:
            asyncio.run_coroutine_threadsafe(_tell(tell, body), loop)

        try:
            report = await loop.run_in_executor(self._thread, self._import, wish, told, off.is_set)
        finally:
            off.set()
            self._stored()
        answer: Mapping[str, object] = report.answer()
        return answer

    def _import(
        self, wish: ImportWish, tell: history.Tell, cancelled: Callable[[], bool]
    ) -> ImportReport | MemoryReport:
        home = self._home(wish)
        if home is not None:
            return self._take_home(wish, home)
        return Import(
            self._db, wish, self._exclusions, follow_up=self._follow_up, tell=tell, cancelled=cancelled
        ).run()

    def _home(self, wish: ImportWish) -> MaitCodeHome | None:
        """The mait-code home that is meant, or that lies there; None where it is something else."""
        found = homes.find(wish.path) if wish.format in ("auto", "mait-code") else None
        if wish.format == "mait-code" and found is None:
            raise NotFound(
                f"there is no data folder of mait-code at {wish.path}: {homes.why_none(wish.path)}"
            )
        if wish.format == "auto" and found and not self._is_mait_code(found):
            return None
        return found

    def _is_mait_code(self, home: MaitCodeHome) -> bool:
        """True where the database is mait-code's; it is copied to find out, unless it is known to be another's."""
        try:
            if opencode.holds(home.database):
                return False
        except HistoryImportError:
            pass  # why it cannot be read is told by whoever reads it
        return homes.is_ours(home, self._copies)

    def close(self) -> None:
        """Begin no other import."""
        self._thread.shutdown(wait=False, cancel_futures=True)


async def _tell(tell: Tell, body: Mapping[str, object]) -> None:
    try:
        await tell(body)
    except (ConnectionError, RuntimeError):
        pass  # who asked has gone; the import goes on
