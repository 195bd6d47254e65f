"""The worker: lanes apart from each other, jobs broken off and put back, nothing that stops a lane for good."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memd.clock import FixedClock
from memd.db.database import Database
from memd.errors import Busy, NotFound
from memd.jobs import attempts, by_hand, pauses, recovery, table, worker
from memd.jobs.by_hand import Which
from memd.jobs.job import Job, State
from memd.jobs.outcome import Finished, Kind, Outcome
from memd.jobs.retry import Pause
from memd.jobs.worker import Worker
from tests.rows import database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


@asynccontextmanager
async def at_work(db: Database, kinds: Mapping[str, Kind]) -> AsyncIterator[Worker]:
    one = Worker(db, FixedClock(), kinds)
    running = asyncio.create_task(one.run())
    try:
        yield one
    finally:
        await one.stop(0.0)
        await asyncio.wait_for(running, 5)


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(2000):
        if await true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came true")


async def ended(db: Database, number: int, state: State = State.DONE) -> Job:
    async def is_there() -> bool:
        return (await db.read(table.get, number)).state is state

    await until(is_there)
    return await db.read(table.get, number)


async def well(_: Job) -> Outcome:
    return Finished({"well": True})


async def badly(_: Job) -> Outcome:
    raise NotFound("there is nothing to work on")


async def for_ever(_: Job) -> Outcome:
    await asyncio.Event().wait()
    raise AssertionError


def test_one_kind_that_hangs_and_one_that_fails_hold_up_nobody_else(db: Database) -> None:
    async def story() -> None:
        kinds = {"hangs": Kind(for_ever, "a"), "fails": Kind(badly, "b"), "works": Kind(well, "b")}
        async with at_work(db, kinds) as queue:
            numbers = [await queue.enqueue(kind, "k") for kind in kinds]

            assert (await ended(db, numbers[2])).result == {"well": True}
            assert (await ended(db, numbers[1], State.DEAD)).error == "there is nothing to work on"

    asyncio.run(story())


def test_an_effect_that_fails_is_a_job_that_failed_and_leaves_nothing(db: Database) -> None:
    async def half(_: Job) -> Outcome:
        def effect(connection: object) -> dict[str, object]:
            pauses.pause(connection, "half", "an effect", 0, automatic=True)  # type: ignore[arg-type]  # the effect of the test
            raise NotFound("no room")

        return Finished(effect=effect)

    async def story() -> None:
        async with at_work(db, {"half": Kind(half, "a")}) as queue:
            job = await ended(db, await queue.enqueue("half", "k"), State.DEAD)

        assert job.error == "no room"
        assert db.read_now(pauses.listing) == []

    asyncio.run(story())


def test_what_came_meanwhile_is_done_by_the_same_job(db: Database) -> None:
    calls: list[int] = []

    async def counts(job: Job) -> Outcome:
        calls.append(job.id)
        return Finished({"calls": len(calls)}, left=lambda _: len(calls) < 3)

    async def story() -> None:
        async with at_work(db, {"counts": Kind(counts, "a")}) as queue:
            job = await ended(db, await queue.enqueue("counts", "k"))

        assert job.result == {"calls": 3}
        assert len(db.read_now(attempts.listing, job.id)) == 1

    asyncio.run(story())


def test_a_running_job_that_is_cancelled_is_broken_off_and_its_lane_goes_on(db: Database) -> None:
    async def story() -> None:
        async with at_work(db, {"hangs": Kind(for_ever, "a"), "works": Kind(well, "a")}) as queue:
            number = await queue.enqueue("hangs", "k")
            await ended(db, number, State.RUNNING)

            queue.break_off(await db.write(by_hand.cancel, Which(number), 0))
            await ended(db, await queue.enqueue("works", "k"))

        assert db.read_now(table.get, number).state is State.CANCELLED
        assert [one.ending for one in db.read_now(attempts.listing, number)] == ["cancelled"]

    asyncio.run(story())


def test_a_stop_waits_for_a_short_job_and_puts_the_others_back_uncounted(db: Database) -> None:
    """R15: jobs have their time, then they are queued; a backlog is broken off at once."""
    go = asyncio.Event()

    async def short(_: Job) -> Outcome:
        await go.wait()
        return Finished()

    async def story() -> None:
        kinds = {
            "short": Kind(short, "a"),
            "long": Kind(for_ever, "b"),
            "all": Kind(for_ever, "c", backlog=True),
        }
        async with at_work(db, kinds) as queue:
            numbers = [await queue.enqueue(kind, "k") for kind in kinds]
            for number in numbers:
                await ended(db, number, State.RUNNING)
            stopping = asyncio.create_task(queue.stop(0.5))
            await ended(db, numbers[2], State.QUEUED)
            go.set()
            await stopping

        jobs = [db.read_now(table.get, number) for number in numbers]
        assert [job.state for job in jobs] == [State.DONE, State.QUEUED, State.QUEUED]
        assert [job.attempts for job in jobs] == [1, 0, 0]
        assert db.read_now(attempts.listing, numbers[1])[0].ending == "stopped"

    asyncio.run(story())


def test_a_job_whose_lease_went_to_another_is_broken_off(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "WATCH_SECONDS", 0.01)
    gone = asyncio.Event()

    async def held(_: Job) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        raise AssertionError

    async def story() -> None:
        async with at_work(db, {"held": Kind(held, "a")}) as queue:
            number = await queue.enqueue("held", "k")
            await ended(db, number, State.RUNNING)

            await db.write(recovery.recover, boot="another", now_ms=0)
            await asyncio.wait_for(gone.wait(), 5)

    asyncio.run(story())


def test_a_lease_is_held_on_while_its_job_runs(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "WATCH_SECONDS", 0.01)

    async def story() -> None:
        clock = FixedClock()
        queue = Worker(db, clock, {"hangs": Kind(for_ever, "a")})
        running = asyncio.create_task(queue.run())
        await ended(db, await queue.enqueue("hangs", "k"), State.RUNNING)
        clock.move(table.LEASE_MS / 1000 + 1)

        async def is_renewed() -> bool:
            return not await db.read(recovery.is_overdue, clock.now_ms())

        await until(is_renewed)
        await queue.stop(0.0)
        await running

    asyncio.run(story())


def test_a_kind_that_was_paused_goes_on_at_its_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "WATCH_SECONDS", 0.01)
    asked: list[int] = []

    async def refused_once(job: Job) -> Outcome:
        asked.append(job.id)
        return Pause("spent for today", 60) if len(asked) == 1 else Finished()

    async def story() -> None:
        clock = FixedClock()
        queue = Worker(db, clock, {"asks": Kind(refused_once, "a")})
        running = asyncio.create_task(queue.run())
        number = await queue.enqueue("asks", "k")
        await ended(db, number, State.PAUSED)
        clock.move(61)

        await ended(db, number)
        await queue.stop(0.0)
        await running

    asyncio.run(story())


def test_a_lane_outlives_whatever_the_queue_itself_raises(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "TROUBLE_MS", 10)
    claim, failures = table.claim, [ValueError("a bug"), Busy("held by another program")]

    def failing(*arguments: object, **more: object) -> Job | None:
        if failures:
            raise failures.pop()
        return claim(*arguments, **more)  # type: ignore[arg-type]  # passed on as they are

    monkeypatch.setattr(table, "claim", failing)

    async def story() -> None:
        async with at_work(db, {"works": Kind(well, "a")}) as queue:
            await ended(db, await queue.enqueue("works", "k"))

    asyncio.run(story())
    assert not failures
