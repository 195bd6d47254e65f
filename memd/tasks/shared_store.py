"""The shared store as memd lives with it: who asks when to tell and to hear, and what there is to say of it.

Import, search and hooks never wait for it. Whatever may have changed here is a hint to look; what is to be told stands
in the tables, and what is to be heard in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import MemdError
from memd.jobs import by_hand, kinds, table
from memd.jobs.by_hand import Which
from memd.jobs.job import ENDED, State
from memd.services import Queue
from memd.tasks.fetch_turns import FetchTurns
from memd.tasks.store_link import StoreAway, StoreLink
from memd.turns import outgoing, sharing
from memd.turns.sharing import Sharer

_log = structlog.get_logger("memd.store")

LOOK_SECONDS = 0.05  # at a job that somebody waits for
PAUSE_SECONDS = 0.2  # between two looks, however often something is stored
KEY = "all"


class SharedStoreLife:
    """Looks every ``seconds`` whether there is something to tell or to hear, and asks for the job that does it."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        queue: Queue,
        link: StoreLink,
        fetch: FetchTurns,
        store: int,
        sharer: Sharer,
        seconds: float,
    ) -> None:
        self._db, self._clock, self._queue, self._link, self._fetch = db, clock, queue, link, fetch
        self._store, self._sharer, self._seconds = store, sharer, seconds
        self._stored = asyncio.Event()
        self._asked_at: float | None = None

    @property
    def away_since(self) -> str | None:
        """Since when it does not answer; None where it does, or was not asked yet."""
        return self._link.since if self._link.reachable is False else None

    def wake(self) -> None:
        """Something was stored: look now."""
        self._stored.set()

    async def run(self) -> None:
        """Look for as long as memd runs."""
        while True:
            self._stored.clear()
            try:
                await self.look()
            except MemdError as error:
                _log.warning("store_look_failed", error=error.message, limited=True)
            await asyncio.sleep(PAUSE_SECONDS)
            try:
                async with asyncio.timeout(self._seconds - PAUSE_SECONDS):
                    await self._stored.wait()
            except TimeoutError:
                pass

    async def look(self) -> None:
        """Ask for what is to be done, where nobody has asked yet."""
        if await self._db.read(self._has_to_tell):
            await self._queue.enqueue(kinds.SHARE, KEY)
        if not self._link.resting and self._is_time() and not await self._db.read(table.is_live, kinds.FETCH):
            self._asked_at = self._clock.monotonic()
            if await self._has_news():
                await self._queue.enqueue(kinds.FETCH, KEY)

    def _is_time(self) -> bool:
        asked = self._asked_at
        return asked is None or self._clock.monotonic() - asked >= self._seconds - PAUSE_SECONDS

    def _has_to_tell(self, connection: Connection) -> bool:
        return not table.is_live(connection, kinds.SHARE) and outgoing.is_behind(connection, self._store)

    async def _has_news(self) -> bool:
        try:
            return await self._fetch.has_news()
        except StoreAway:
            return False

    async def level(self) -> bool:
        """Tell what is here and hear what is there by now; False where the store does not answer."""
        return await self._done(kinds.SHARE) and await self._done(kinds.FETCH)

    async def _done(self, kind: str) -> bool:
        """Whether a job of the kind that began after this call was done."""
        under_way = await self._db.read(table.live, kind)
        done = await self._ended(await self._queue.enqueue(kind, KEY))
        if done and under_way is not None and under_way.state is State.RUNNING:
            return await self._ended(await self._queue.enqueue(kind, KEY))
        return done

    async def _ended(self, job_id: int) -> bool:
        tried = False
        while (job := await self._db.read(table.get, job_id)).state not in ENDED:
            if job.state is State.PAUSED or (job.state is State.RETRY and tried):
                return False
            if job.state is State.RETRY:  # who waits for it does not wait until another try is worth it
                tried = True
                await self._db.write(by_hand.retry, Which(job_id=job_id), self._clock.now_ms())
                self._queue.wake(kinds.STORE_LANE)
            await asyncio.sleep(LOOK_SECONDS)
        return job.state is State.DONE

    async def figures(self) -> Mapping[str, object]:
        """What ``status`` says of it."""
        counts = await self._db.read(self._counts)
        url, _, name = self._sharer.place.rpartition("#")
        return {
            "url": url,
            "table": name,
            "user_id": self._sharer.user,
            **counts,
            "reachable": self._link.reachable,
            "since": self._link.since,
        }

    def _counts(self, connection: Connection) -> dict[str, int]:
        return {
            "told": sharing.known(connection, self._store).told,
            "waiting": outgoing.count(connection, self._store),
            "heard": sharing.count_heard(connection, self._store),
        }

    def close(self) -> None:
        """Let go of the store."""
        self._link.close()
