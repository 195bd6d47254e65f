"""Imports that were asked for, one after the other on a thread of their own, with their progress told on the way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from memd.db.database import Database
from memd.db.driver import Connection
from memd.intake.history import Import
from memd.services import ImportWish, Tell
from memd.sources.exclusions import Exclusions


class Imports:
    """``run`` is what the method ``import`` calls."""

    def __init__(
        self,
        db: Database,
        exclusions: Exclusions,
        follow_up: Callable[[Connection], None],
        stored: Callable[[], None],
    ) -> None:
        self._db, self._exclusions = db, exclusions
        self._follow_up, self._stored = follow_up, stored
        self._thread = ThreadPoolExecutor(1, "memd-import")

    async def run(self, wish: ImportWish, tell: Tell) -> Mapping[str, object]:
        """The report of an import; it ends early where its caller is cancelled."""
        loop = asyncio.get_running_loop()
        off = threading.Event()

        def told(body: Mapping[str, object]) -> None:
            asyncio.run_coroutine_threadsafe(_tell(tell, body), loop)

        work = Import(
            self._db, wish, self._exclusions, follow_up=self._follow_up, tell=told, cancelled=off.is_set
        )
        try:
            report = await loop.run_in_executor(self._thread, work.run)
        finally:
            off.set()
        self._stored()
        answer: Mapping[str, object] = report.to_dict()
        return answer

    def close(self) -> None:
        """Begin no other import."""
        self._thread.shutdown(wait=False, cancel_futures=True)


async def _tell(tell: Tell, body: Mapping[str, object]) -> None:
    try:
        await tell(body)
    except (ConnectionError, RuntimeError):
        pass  # who asked has gone; the import goes on
