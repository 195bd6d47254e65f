"""The embedders in use, each with its vector space: one answers, another may be building what takes its place.

Which space serves is written in the database (memd/turns/serving.py); this follows it, and opens and closes models.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, ConfigError, Degraded
from memd.jobs import kinds, table
from memd.providers.embedding.base import Embedder
from memd.providers.embedding.open import setting_of
from memd.services import Enqueue, InUse
from memd.turns import serving
from memd.turns.serving import Placed

_log = structlog.get_logger("memd.embedding")

Open = Callable[[str], Embedder | None]


class Embedders:
    """Opened for the setting; ``settle`` makes it ready."""

    def __init__(self, db: Database, clock: Clock, setting: str, open_: Open) -> None:
        self._db, self._clock, self._open = db, clock, open_
        self.configured = setting
        self._opened: dict[str, Embedder] = {}
        self.serving: InUse | None = None
        self.building: InUse | None = None

    def settle(self) -> None:
        """Bring the spaces in line with the setting. Raises ConfigError where the setting names no embedder."""
        embedder = self._opened_for(self.configured)
        if embedder is None:
            return
        space = embedder.space
        self._db.write_now(self._settle, space.key, space.dim)
        self._follow(*self._db.read_now(_places))
        if self.serving is None:  # nothing here can ask in the old space any more
            self._db.write_now(serving.switch, self._clock.now_ms())
            self._follow(*self._db.read_now(_places))

    def _settle(self, connection: Connection, key: str, dim: int) -> None:
        asked = table.is_live(connection, kinds.REINDEX)
        serving.settle(connection, self.configured, key, dim, self._clock.now_ms(), asked=asked)

    async def begin(self, setting: str | None, enqueue: Enqueue) -> int:
        """Build a space anew, for the embedder that serves or for another; the job that does it."""
        if self.serving is None:
            raise Degraded("no embedder is configured: memctl config set embedding.embedder bundled")
        embedder = await asyncio.to_thread(self._asked, setting or self.serving.setting)

        def work(connection: Connection) -> int:
            if table.is_live(connection, kinds.REINDEX):
                raise BadRequest("a reindex is under way: memctl jobs list --kind reindex; cancel it first")
            space, now_ms = embedder.space, self._clock.now_ms()
            serving.begin(connection, space.key, space.dim, now_ms, instead_of=self.configured)
            return enqueue(connection, kinds.REINDEX, "vectors", None)

        job = await self._db.write(work)
        await self.follow()
        return job

    def _asked(self, setting: str) -> Embedder:
        try:
            embedder = self._opened_for(setting)
        except ConfigError as error:
            raise BadRequest(error.message) from error
        if embedder is None:
            raise BadRequest(f"{setting} makes no vectors; memctl config set embedding.embedder {setting}")
        return embedder

    async def follow(self) -> None:
        """Look which spaces are in their places now."""
        self._follow(*await self._db.read(_places))

    def _follow(self, answers: Placed | None, coming: Placed | None) -> None:
        self.serving, self.building = self._in_use(answers), self._in_use(coming)
        used = {one.setting for one in (self.serving, self.building) if one}
        for setting in self._opened.keys() - used - {self.configured}:
            self._opened.pop(setting).close()

    def _in_use(self, placed: Placed | None) -> InUse | None:
        """The space with the embedder that speaks it; None where there is none here."""
        if placed is None:
            return None
        setting = setting_of(placed.key)
        try:
            embedder = self._opened_for(setting)
        except ConfigError as error:
            _log.warning("embedder_gone", embedder=setting, error=error.message)
            return None
        if embedder is None or embedder.space.key != placed.key:
            return None
        return InUse(placed.id, setting, embedder)

    def _opened_for(self, setting: str) -> Embedder | None:
        if setting not in self._opened and (embedder := self._open(setting)) is not None:
            self._opened[setting] = embedder
        return self._opened.get(setting)

    def opened(self) -> Sequence[Embedder]:
        """Every embedder that may have its model in memory."""
        return list(self._opened.values())

    def close(self) -> None:
        """Give every model back, for good."""
        for embedder in self.opened():
            embedder.close()


def _places(connection: Connection) -> tuple[Placed | None, Placed | None]:
    return serving.serving(connection), serving.building(connection)
