"""The governor: what memd may use of the machine while nobody waits for it.

Background work comes by here after each of its calls, some 100 ms of it. It lets questions pass first, keeps to its
share of a processor once it is long (a quarter of that on a busy machine or a battery), and stands still while the
process tree is over its ceiling of memory. Whoever waits for it (``hurry``) lifts the share, never the ceiling.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

import structlog

from memd.clock import Clock
from memd.config.sections.models import GovernorOptions
from memd.daemon import machine
from memd.daemon.allowance import Allowance
from memd.errors import MemdError
from memd.services import Troubles

_log = structlog.get_logger("memd.governor")

LOOK_SECONDS = 5.0
FREE_SECONDS = (
    20.0  # of processor time at once: what came in while somebody worked is found by meaning in seconds
)
SLOWED = 0.25
BUSY_LOAD = 0.8  # of others, for each processor
SHORTEST_SECONDS, STEP_SECONDS = 0.01, 1.0
QUESTION_SECONDS = 0.5  # background work waits for no question longer, so that many of them do not stop it
HELD_SECONDS = 30.0  # after memory was short: a model that is loaded again at once would be short at once

Relieve = Callable[[], Awaitable[None]]


class Governor:
    """Lives on the event loop; ``threads`` of the model count as that many processors."""

    def __init__(
        self, clock: Clock, troubles: Troubles, options: GovernorOptions, *, threads: int = 1
    ) -> None:
        self._clock, self._troubles, self._options, self._threads = clock, troubles, options, threads
        self._allowance = Allowance(FREE_SECONDS)
        self._questions = self._waiting = 0
        self._others = 0.0
        self._battery = False
        self._held_until = 0.0
        self._own_cpu, self._own_at = time.process_time(), clock.monotonic()
        self._quiet = asyncio.Event()
        self._quiet.set()

    # for those who ask ----------------------------------------------------------------------------

    @contextmanager
    def question(self) -> Iterator[None]:
        """Somebody is answered: background work waits a little."""
        self._questions += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._questions -= 1
            if not self._questions:
                self._quiet.set()

    @contextmanager
    def hurry(self) -> Iterator[None]:
        """Somebody waits for background work itself: it need not keep to its share."""
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    # for background work --------------------------------------------------------------------------

    async def turn(self, cpu_s: float) -> None:
        """Take note of the processor time of a call, and come back when the next may begin."""
        self._allowance.take(cpu_s * self._threads, self._clock.monotonic(), self._share())
        with suppress(TimeoutError):
            async with asyncio.timeout(QUESTION_SECONDS):
                await self._quiet.wait()
        while True:
            pause = self._pause()
            if pause <= 0:
                return
            await asyncio.sleep(min(max(pause, SHORTEST_SECONDS), STEP_SECONDS))

    def _pause(self) -> float:
        now = self._clock.monotonic()
        if self._is_held(now):
            return self._held_until - now
        return 0.0 if self._waiting else self._allowance.wait(now, self._share())

    def _share(self) -> float:
        return self._options.cpu_share * (SLOWED if self._slowed() else 1.0)

    def _slowed(self) -> str:
        """Why the share is cut; empty where it is not."""
        if self._battery:
            return "on battery"
        return "the machine is busy" if self._others > BUSY_LOAD else ""

    def _is_held(self, now: float) -> bool:
        return now < self._held_until

    # the looks ------------------------------------------------------------------------------------

    async def run(self, relieve: Relieve) -> None:
        """Look at the machine now and then; where memory is short, have it given back."""
        while True:
            self._look_at_others()
            if self._look_at_memory():
                await self._relieve(relieve)
            await asyncio.sleep(LOOK_SECONDS)

    async def _relieve(self, relieve: Relieve) -> None:
        try:
            await relieve()
        except MemdError as error:
            _log.warning("memory_not_given_back", error=error.message, limited=True)

    def _look_at_others(self) -> None:
        """The load without our own part in it."""
        cpu, now = time.process_time(), self._clock.monotonic()
        own = (cpu - self._own_cpu) / max(1e-3, now - self._own_at)
        self._own_cpu, self._own_at = cpu, now
        self._others = max(0.0, machine.load() - own / machine.cores())
        self._battery = machine.on_battery()

    def _look_at_memory(self) -> bool:
        """Whether the ceiling is passed; background work then stands still for a while."""
        used, ceiling = self.memory_mb(), self._options.memory_mb
        now = self._clock.monotonic()
        if used > ceiling:
            self._held_until = now + HELD_SECONDS
            what = f"memd holds {used:.0f} MB, and governor.memory_mb allows {ceiling}: embedding waits"
            hint = "it goes on by itself; if it stays so: memctl config set governor.memory_mb N"
            if self._troubles.raise_("memory", what, hint):
                _log.warning("memory_ceiling", used_mb=round(used), ceiling_mb=ceiling)
        elif not self._is_held(now):
            self._troubles.clear("memory")
        return used > ceiling

    # what it tells --------------------------------------------------------------------------------

    def memory_mb(self) -> float:
        """The memory of the process tree now."""
        return machine.memory_mb()

    def figures(self) -> dict[str, object]:
        """Figures for ``status``."""
        now = self._clock.monotonic()
        slowed = self._slowed()
        return {
            "memory_ceiling_mb": self._options.memory_mb,
            "cpu_share": self._options.cpu_share,
            "cpu_share_now": round(self._share(), 3),
            "load_of_others": round(self._others, 2),
            "on_battery": self._battery,
            "background": "held: memory" if self._is_held(now) else f"slowed: {slowed}" if slowed else "free",
        }
