"""The worker: one lane for each resource, each running one job at a time, so that no kind holds up another's.

A commit that enqueues calls ``wake``; the timer is for jobs that are due later and for leases that ended.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import MemdError
from memd.jobs import table
from memd.jobs.job import Job, State
from memd.jobs.retry import Bury, RetryPolicy, decide, describe

_log = structlog.get_logger("memd.jobs")

RENEW_SECONDS = 20.0
LONGEST_SLEEP = 60.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The job's effects stand. ``left`` asks, in the transaction that ends it, whether more came meanwhile:
    then the job is queued again, so that nothing which coalesced with it is missed."""

    result: Mapping[str, object]
    left: Callable[[Connection], bool] | None = None


@dataclass(frozen=True, slots=True)
class Later:
    """Nothing can be done now, and it is nobody's fault: the same job again in so many seconds, no attempt counted."""

    seconds: float
    reason: str


Outcome = Finished | Later
Handler = Callable[[Job], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What the registry knows of a kind of job."""

    handler: Handler
    lane: str
    policy: RetryPolicy = RetryPolicy()  # noqa: RUF009  # a frozen value


class Worker:
    """Claims and runs jobs until it is stopped."""

    def __init__(self, db: Database, clock: Clock, kinds: Mapping[str, Kind]) -> None:
        self._db, self._clock, self._kinds = db, clock, kinds
        self._boot = secrets.token_hex(8)
        self._draw = random.Random()
        self._wakes = {lane: asyncio.Event() for lane in sorted({kind.lane for kind in kinds.values()})}
        self._running: dict[int, asyncio.Task[Outcome]] = {}
        self.last_finished_at: float | None = None

    async def enqueue(self, kind: str, key: str, payload: Mapping[str, object] | None = None) -> int:
        """Ask for work; the id of the job that will do it."""
        job_id = await self._db.write(self.enqueue_in, kind, key, payload)
        self.wake(self._kinds[kind].lane)
        return job_id

    def enqueue_in(
        self, connection: Connection, kind: str, key: str, payload: Mapping[str, object] | None
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
        )

    def wake(self, lane: str | None = None) -> None:
        """Look for work now."""
        for name, event in self._wakes.items():
            if lane in (None, name):
                event.set()

    async def run(self) -> None:
        """Work all lanes until cancelled; what runs then goes back to the queue."""
        await self._db.write(table.recover, boot=self._boot, now_ms=self._clock.now_ms())
        async with asyncio.TaskGroup() as group:
            for lane in self._wakes:
                group.create_task(self._work(lane), name=f"lane-{lane}")

    async def cancel(self, job_id: int) -> Job:
        """Cancel a job in whatever live state; one that runs is stopped."""
        job = await self._db.write(table.move, job_id, State.CANCELLED, self._clock.now_ms())
        if task := self._running.get(job_id):
            task.cancel()
        return job

    async def _work(self, lane: str) -> None:
        wake = self._wakes[lane]
        while True:
            wake.clear()
            try:
                job = await self._claim(lane)
                if job is not None:
                    await self._run(job)
                    continue
                due = await self._db.read(table.next_due, lane)
            except MemdError as error:
                _log.warning("queue_failed", lane=lane, error=error.message, limited=True)
                due = self._clock.now_ms() + 5_000
            await self._sleep(wake, due)

    async def _claim(self, lane: str) -> Job | None:
        now_ms = self._clock.now_ms()
        due = await self._db.read(table.next_due, lane)
        if due is None or due > now_ms:
            return None  # a look costs nothing, a claim a write
        return await self._db.write(table.claim, lane, boot=self._boot, now_ms=now_ms)

    async def _sleep(self, wake: asyncio.Event, due_ms: int | None) -> None:
        seconds = LONGEST_SLEEP if due_ms is None else (due_ms - self._clock.now_ms()) / 1000
        try:
            async with asyncio.timeout(
                min(LONGEST_SLEEP, max(0.05, seconds)) if due_ms is not None else None
            ):
                await wake.wait()
        except TimeoutError:
            pass

    async def _run(self, job: Job) -> None:
        kind = self._kinds[job.kind]
        task = asyncio.ensure_future(kind.handler(job))
        self._running[job.id] = task
        renewing = asyncio.create_task(self._renew(job))
        try:
            await self._settle(job, await task)
        except asyncio.CancelledError:
            await self._put_back(job, task)
        except Exception as error:
            await self._fail(job, error, kind.policy)
        finally:
            renewing.cancel()
            del self._running[job.id]
            self.last_finished_at = self._clock.monotonic()

    async def _put_back(self, job: Job, task: asyncio.Task[Outcome]) -> None:
        """A job cancelled by hand stays cancelled; where memd itself stops, the job waits for the next start."""
        task.cancel()
        current = asyncio.current_task()
        stopping = current is not None and current.cancelling() > 0
        await self._db.write(table.finish, job, State.QUEUED, self._clock.now_ms(), attempts=job.attempts - 1)
        if stopping:
            raise asyncio.CancelledError

    async def _settle(self, job: Job, outcome: Outcome) -> None:
        now_ms = self._clock.now_ms()
        match outcome:
            case Finished():
                if await self._db.write(_finish, job, outcome, now_ms):
                    self.wake(job.lane)
            case Later(seconds, reason):
                run_at = now_ms + int(seconds * 1000)
                await self._db.write(
                    table.finish,
                    job,
                    State.RETRY,
                    now_ms,
                    run_at_ms=run_at,
                    error=reason,
                    attempts=job.attempts - 1,
                )

    async def _fail(self, job: Job, error: Exception, policy: RetryPolicy) -> None:
        now_ms = self._clock.now_ms()
        _log.warning("job_failed", job=job.id, kind=job.kind, attempts=job.attempts, error=describe(error))
        match decide(error, job.attempts, policy, draw=self._draw):
            case Bury(reason):
                await self._db.write(table.finish, job, State.DEAD, now_ms, error=reason)
            case retry:
                run_at = now_ms + int(retry.seconds * 1000)
                await self._db.write(
                    table.finish, job, State.RETRY, now_ms, run_at_ms=run_at, error=retry.reason
                )

    async def _renew(self, job: Job) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            await self._db.write(table.renew, job, self._clock.now_ms())


def _finish(connection: Connection, job: Job, outcome: Finished, now_ms: int) -> bool:
    """End the job, or queue it again where something is left; True for the latter."""
    if outcome.left and outcome.left(connection):
        return table.finish(connection, job, State.QUEUED, now_ms, attempts=0)
    table.finish(connection, job, State.DONE, now_ms, result=json.dumps(dict(outcome.result)), error=None)
    return False
