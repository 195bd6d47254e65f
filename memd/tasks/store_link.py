"""The line to the shared store: each call on a thread, and one trouble for as long as it does not answer.

Nothing else waits for it. A call that fails says when the next one is worth a try: ever later, half a minute at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import structlog

from memd.clock import Clock, iso
from memd.jobs.retry import describe
from memd.services import Troubles
from memd.turns.shared import SharedStore

P = ParamSpec("P")
T = TypeVar("T")

_log = structlog.get_logger("memd.store")

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 30.0
TROUBLE = "store"
HINT = (
    "what is stored here is searched; what others told since is missing, and what is said here is told once it"
    " answers: check store.url, the network, and what its role may do in the database"
)


class StoreAway(Exception):
    """The shared store did not answer; in so many seconds it is worth another try."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.why, self.seconds = why, seconds


class StoreLink:
    """The store, and whether it answers; ``since`` is when that last changed, None before the first answer."""

    def __init__(self, store: SharedStore, clock: Clock, troubles: Troubles) -> None:
        self.store, self._clock, self._troubles = store, clock, troubles
        self._threads = ThreadPoolExecutor(2, "memd-store")
        self._failures = 0
        self._next_at = 0.0
        self.reachable: bool | None = None
        self.since: str | None = None

    @property
    def resting(self) -> bool:
        """True as long as another try is not worth it."""
        return self._clock.monotonic() < self._next_at

    async def call(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the store says; StoreAway where it does not answer, or says that it cannot."""
        try:
            found = await self.off_loop(work, *args, **kwargs)
        except Exception as error:  # whatever it is, what is stored here is still answered from
            raise self._failed(describe(error)) from error
        self._answered()
        return found

    async def off_loop(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``work`` gives, on one of the link's threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: work(*args, **kwargs))

    def _failed(self, why: str) -> StoreAway:
        wait = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(self._failures, 10))
        self._failures += 1
        self._next_at = self._clock.monotonic() + wait
        if self.reachable is not False:
            self._note(False)
            _log.warning("store_away", why=why)
        self._troubles.raise_(TROUBLE, f"the shared store does not answer: {why}", HINT, mild=True)
        return StoreAway(why, wait)

    def _answered(self) -> None:
        self._failures, self._next_at = 0, 0.0
        if self.reachable is not True:
            self._note(True)
            self._troubles.clear(TROUBLE)
            _log.info("store_answers")

    def _note(self, reachable: bool) -> None:
        self.reachable, self.since = reachable, iso(self._clock.now_ms())

    def close(self) -> None:
        """Let go of the store; a call that is under way ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.store.close()
