"""Health: what is looked at every ten seconds, and when the watchdog may be fed (R9)."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from memd.daemon import opening
from memd.daemon.notify import Notifier
from memd.db import driver
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import Fatal, MemdError, TryAgain
from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.providers.embedding.runtime import trim
from memd.server.listener import Listener
from memd.services import CrossEncoder, Services
from memd.text.tokens import Counter

_log = structlog.get_logger("memd.health")

LOOK_SECONDS = 10.0
STUCK_SECONDS = 60.0
LOW_SPACE_BYTES = 64 * 2**20


class Health:
    """Looks after the socket, the database's file, idle memory and the watchdog, until cancelled."""

    def __init__(
        self,
        services: Services,
        listener: Listener,
        notifier: Notifier,
        *,
        idle_seconds: float,
        on_fatal: Callable[[Fatal], None],
    ) -> None:
        self._services, self._listener, self._notifier = services, listener, notifier
        self._idle_seconds, self._on_fatal = idle_seconds, on_fatal
        self._file = _identity(services.db.path)
        self._model_missing = False

    async def run(self) -> None:
        """Look, and look again. The watchdog gets nothing while the writer does not answer."""
        await self._look_at_model()
        while True:
            await asyncio.sleep(self._pause())
            if _identity(self._services.db.path) != self._file:
                self._on_fatal(
                    TryAgain(f"{self._services.db.path} was removed or replaced under memd; start it anew")
                )
                return
            self._listener.rebind_if_gone()
            self._look_at_disk()
            await self._look_at_model()
            await self._release_idle()
            if await self._writer_answers():
                self._notifier.alive()

    def _look_at_disk(self) -> None:
        """Tell of a disk that is about to be full, and no longer of a damaged database that its owner removed."""
        troubles, path = self._services.troubles, self._services.db.path
        opening.still_aside(path, troubles)
        free = shutil.disk_usage(path.parent).free
        if free < LOW_SPACE_BYTES:
            troubles.raise_(
                "disk",
                f"only {free // 2**20} MB are free for {path.parent}",
                "make room: once none is left, import pauses until there is some again",
            )
        else:
            troubles.clear("disk")

    def _pause(self) -> float:
        watchdog = self._notifier.watchdog_seconds
        return min(LOOK_SECONDS, watchdog / 3) if watchdog else LOOK_SECONDS

    async def _look_at_model(self) -> None:
        """A model that is not there is told at once, not when it is first needed."""
        used, troubles = self._services.embedding.serving, self._services.troubles
        if used is None:
            return
        try:
            await asyncio.get_running_loop().run_in_executor(None, used.embedder.check)
        except ModelUnavailable as error:
            self._model_missing = True
            troubles.clear("embedding")  # the same, where a job or a search met it first
            troubles.raise_("model", error.what, error.hint)
        else:
            if self._model_missing:
                self._model_missing = False
                troubles.clear("model")

    async def _release_idle(self) -> None:
        now = self._services.clock.monotonic()
        loop = asyncio.get_running_loop()
        if await loop.run_in_executor(None, _release_idle, self._resting(), now, self._idle_seconds):
            _log.info("model_released")
            await self._shrink()

    async def let_go(self) -> None:
        """Give back all memory that can be had again: models that rest, and caches."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, _release, self._resting())
        await self._shrink()

    def _resting(self) -> list[Embedder | CrossEncoder | Counter]:
        """What holds much memory that it can do without."""
        services = self._services
        return [*services.embedding.opened(), services.cross_encoder, services.counter]

    async def _shrink(self) -> None:
        self._services.vectors.release()
        await self._services.db.outside(driver.shrink)
        await asyncio.get_running_loop().run_in_executor(None, give_memory_back)

    async def _writer_answers(self) -> bool:
        db: Database = self._services.db
        try:
            async with asyncio.timeout(STUCK_SECONDS):
                await db.outside(_nothing)
        except (MemdError, TimeoutError):
            return False
        return True


def _nothing(connection: Connection) -> None:
    """A round through the writer's thread."""


def _release(resting: Sequence[Embedder | CrossEncoder | Counter]) -> None:
    for one in resting:
        one.release()


def _release_idle(
    resting: Sequence[Embedder | CrossEncoder | Counter], now: float, idle_seconds: float
) -> bool:
    released = [one.release_if_idle(now, idle_seconds) for one in resting]
    return any(released)


def give_memory_back() -> None:
    """Hand freed pages back to the system, where its allocator keeps them otherwise."""
    gc.collect()
    trim()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
