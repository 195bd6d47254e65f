"""The worker: one lane for each resource, each running one job at a time, so that no kind holds up another's.

A commit that enqueues calls ``wake``; the timers are for jobs that are due later and for leases.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import MemdError
from memd.jobs import pauses, recovery, table
from memd.jobs.job import Job
from memd.jobs.outcome import Kind, Outcome
from memd.jobs.retry import decide, describe
from memd.jobs.settle import Settled, Stopped, settle

_log = structlog.get_logger("memd.jobs")

WATCH_SECONDS = 20.0  # a third of a lease
LONGEST_SLEEP = 60.0
TROUBLE_MS = 5_000
LAST_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Run:
    job: Job
    kind: Kind
    task: asyncio.Future[Outcome]


class Worker:
    """Claims and runs jobs until it is stopped. ``off`` names kinds that are not worked on now, each with why."""

    def __init__(
        self, db: Database, clock: Clock, kinds: Mapping[str, Kind], off: Mapping[str, str] | None = None
    ) -> None:
        self._db, self._clock, self._kinds, self._off = db, clock, kinds, off or {}
        self._boot = secrets.token_hex(8)
        self._draw = random.Random()
        self._wakes = {lane: asyncio.Event() for lane in sorted({kind.lane for kind in kinds.values()})}
        self._running: dict[int, _Run] = {}
        self._working: list[asyncio.Task[None]] = []
        self._stopping = False
        self.last_finished_at: float | None = None

    # asked from outside ---------------------------------------------------------------------------

    async def enqueue(
        self, kind: str, key: str, payload: Mapping[str, object] | None = None, window_s: float = 0.0
    ) -> int:
        """Ask for work; the id of the job that will do it, or that was done with it within so many seconds."""
        job_id = await self._db.write(self.enqueue_in, kind, key, payload, window_s)
        self.wake(self._kinds[kind].lane)
        return job_id

    def enqueue_in(
        self,
        connection: Connection,
        kind: str,
        key: str,
        payload: Mapping[str, object] | None,
        window_s: float = 0.0,
    ) -> int:
        """``enqueue`` inside a caller's transaction; the caller wakes the lane after it."""
        known = self._kinds[kind]
        return table.enqueue(
            connection,
            kind,
            key,
            lane=known.lane,
            max_attempts=known.policy.max_attempts,
            now_ms=self._clock.now_ms(),
            payload=payload,
            window_ms=int(window_s * 1000),
        )

    def kinds(self) -> Sequence[str]:
        """Every kind there is, also those that are not worked on now."""
        return sorted(self._kinds.keys() | self._off.keys())

    def wake(self, lane: str | None = None) -> None:
        """Look for work now."""
        for name, event in self._wakes.items():
            if lane in (None, name):
                event.set()

    def break_off(self, job_ids: Iterable[int]) -> None:
        """Stop the handlers of jobs whose lease is gone, where they run."""
        for job_id in job_ids:
            if run := self._running.get(job_id):
                run.task.cancel()

    # its life -------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work all lanes until stopped."""
        await self._db.write(self._take_over)
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(self._watch(), name="job-leases")
            self._working = [group.create_task(self._work(lane), name=f"lane-{lane}") for lane in self._wakes]
            await asyncio.wait(self._working)
            watching.cancel()

    def _take_over(self, connection: Connection) -> None:
        now_ms = self._clock.now_ms()
        recovery.adopt(connection, {name: kind.lane for name, kind in self._kinds.items()}, self._off, now_ms)
        recovery.recover(connection, boot=self._boot, now_ms=now_ms, backlogs=self._backlogs())

    def _backlogs(self) -> set[str]:
        return {name for name, kind in self._kinds.items() if kind.backlog} | set(self._off)

    async def stop(self, seconds: float) -> None:
        """Claim nothing more, wait so long for the jobs that run, and put back those that do not end by then."""
        self._stopping = True
        self.wake()
        for run in [run for run in self._running.values() if run.kind.backlog]:
            run.task.cancel()
        if self._working and (await asyncio.wait(self._working, timeout=seconds))[1]:
            for run in list(self._running.values()):
                run.task.cancel()
            await asyncio.wait(self._working, timeout=LAST_SECONDS)

    # a lane ---------------------------------------------------------------------------------------

    async def _work(self, lane: str) -> None:
        wake = self._wakes[lane]
        while not self._stopping:
            wake.clear()
            try:
                job = await self._claim(lane)
                if job is not None:
                    await self._run(job)
                    continue
                due = await self._db.read(table.next_due, lane, self._clock.now_ms())
            except Exception as error:  # whatever it is, the lane stays open
                _log.warning("queue_failed", lane=lane, error=describe(error), limited=True)
                due = self._clock.now_ms() + TROUBLE_MS
            await self._sleep(wake, due)

    async def _claim(self, lane: str) -> Job | None:
        now_ms = self._clock.now_ms()
        due = await self._db.read(table.next_due, lane, now_ms)
        if due is None or due > now_ms:
            return None  # a look costs nothing, a claim a write
        return await self._db.write(table.claim, lane, boot=self._boot, now_ms=now_ms)

    async def _sleep(self, wake: asyncio.Event, due_ms: int | None) -> None:
        if self._stopping:
            return
        wait = None if due_ms is None else max(0.05, (due_ms - self._clock.now_ms()) / 1000)
        try:
            async with asyncio.timeout(None if wait is None else min(LONGEST_SLEEP, wait)):
                await wake.wait()
        except TimeoutError:
            pass

    # a job ----------------------------------------------------------------------------------------

    async def _run(self, job: Job) -> None:
        kind = self._kinds[job.kind]
        try:
            while await self._settle(job, await self._outcome(job, kind), kind):
                if self._stopping:  # more came meanwhile, and it waits
                    await self._settle(job, Stopped(), kind)
                    break
        finally:
            self.last_finished_at = self._clock.monotonic()

    async def _outcome(self, job: Job, kind: Kind) -> Settled:
        """What the handler came to, whatever it does."""
        task = asyncio.ensure_future(kind.handler(job))
        self._running[job.id] = _Run(job, kind, task)
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            del self._running[job.id]
        if task.cancelled():
            return Stopped()
        if error := task.exception():
            return self._judged(job, error, kind)
        return task.result()

    def _judged(self, job: Job, error: BaseException, kind: Kind) -> Settled:
        _log.warning("job_failed", job=job.id, kind=job.kind, attempts=job.attempts, error=describe(error))
        return decide(error, job.attempts, kind.policy, draw=self._draw)

    async def _settle(self, job: Job, outcome: Settled, kind: Kind) -> bool:
        """Write down what came of it; an effect that fails is a job that failed."""
        try:
            return await self._db.write(settle, job, outcome, self._clock.now_ms())
        except Exception as error:
            return await self._db.write(settle, job, self._judged(job, error, kind), self._clock.now_ms())

    # leases and pauses ----------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Hold the leases of what runs, free those that ended, lift the pauses whose time is over."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                await self._look_after()
            except MemdError as error:
                _log.warning("leases_failed", error=error.message, limited=True)

    async def _look_after(self) -> None:
        now_ms = self._clock.now_ms()
        held = [run.job for run in self._running.values()]
        if not held and not await self._db.read(recovery.is_overdue, now_ms):
            return
        self.break_off(await self._db.write(self._look_after_in, held, now_ms))
        self.wake()

    def _look_after_in(self, connection: Connection, held: list[Job], now_ms: int) -> list[int]:
        gone = table.renew(connection, held, now_ms)
        pauses.lift(connection, self._kinds, now_ms, due=True)
        recovery.recover(
            connection,
            boot=self._boot,
            now_ms=now_ms,
            held={job.id for job in held},
            backlogs=self._backlogs(),
        )
        return [job.id for job in gone]
