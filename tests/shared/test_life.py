"""The shared store while memd runs: told and heard by itself, never waited for, and quiet where nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.config.sections.store import StoreOptions
from memd.daemon.embedders import Embedders
from memd.daemon.shared_store import Wishes, furnish
from memd.db.database import Database
from memd.errors import Busy
from memd.jobs import kinds, pauses
from memd.jobs.worker import Worker
from memd.services import Troubles
from memd.sources.exclusions import Exclusions
from memd.tasks.shared_store import SharedStoreLife
from tests.rows import database, store, turn
from tests.shared.in_memory import InMemoryShared

UUID = "00000000-0000-4000-8000-000000000001"


class Home:
    """A memd of which nothing runs but its queue and the shared store's life."""

    def __init__(self, db: Database, shared: InMemoryShared, user: str) -> None:
        self.db, self.clock = db, SystemClock()
        self.troubles = Troubles(self.clock)
        options = StoreOptions(
            url="postgresql://ann:hidden@db/team", user_id=user, users=("*",), poll_seconds=1
        )
        nothing = Wishes(lambda _: None, lambda _: None, lambda _: None)
        working, life = furnish(
            db,
            self.clock,
            self.troubles,
            shared,
            options,
            Exclusions((), lambda _: None),
            Embedders(db, self.clock, "none", lambda _: None),
            nothing,
        )
        self.worker = Worker(db, self.clock, working)
        self.life: SharedStoreLife = life(self.worker)

    def say(self, text: str, number: int) -> None:
        store(self.db, [turn(number, text, session=UUID)])
        self.life.wake()

    def texts(self) -> set[str]:
        return self.db.read_now(lambda c: {str(text) for (text,) in c.execute("SELECT text FROM content")})

    def jobs(self) -> list[tuple[object, ...]]:
        return self.db.read_now(lambda c: c.execute("SELECT kind, state FROM job ORDER BY id").fetchall())


@asynccontextmanager
async def living(
    folder: Path, shared: InMemoryShared, user: str, *, by_itself: bool = True
) -> AsyncIterator[Home]:
    (folder / user).mkdir()
    with database(folder / user) as db:
        home = Home(db, shared, user)
        tasks = [asyncio.create_task(home.worker.run())]
        if by_itself:
            tasks.append(asyncio.create_task(home.life.run()))
        try:
            yield home
        finally:
            await home.worker.stop(1.0)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_what_is_stored_is_told_and_heard_by_itself(tmp_path: Path, store: InMemoryShared) -> None:
    async def work() -> None:
        async with living(tmp_path, store, "ann") as ann, living(tmp_path, store, "bob") as bob:
            ann.say("hers", 1)
            await until(lambda: "hers" in bob.texts())
            bob.say("his", 2)
            await until(lambda: "his" in ann.texts())

    asyncio.run(work())


def test_who_waits_for_it_has_told_and_heard_all(tmp_path: Path, store: InMemoryShared) -> None:
    async def work() -> None:
        async with (
            living(tmp_path, store, "ann", by_itself=False) as ann,
            living(tmp_path, store, "bob", by_itself=False) as bob,
        ):
            ann.say("hers", 1)
            assert await ann.life.level() and await bob.life.level()
            assert bob.texts() == {"hers"}
            figures = await bob.life.figures()
            assert figures == {
                "url": "postgresql://ann:***@db/team",
                "table": "memd",
                "user_id": "bob",
                "told": 0,
                "waiting": 0,
                "heard": 1,
                "reachable": True,
                "since": figures["since"],
            }

    asyncio.run(work())


def test_where_it_is_away_nobody_waits_and_nothing_is_lost(tmp_path: Path, store: InMemoryShared) -> None:
    async def work() -> None:
        async with living(tmp_path, store, "ann") as ann:
            store.failing = Busy("the network is cut")
            ann.say("said meanwhile", 1)
            await until(lambda: ann.life.away_since is not None)

            assert not await ann.life.level()
            figures = await ann.life.figures()
            assert (figures["reachable"], figures["waiting"]) == (False, 1)
            assert [one.name for one in ann.troubles.all()] == ["store"]

            store.failing = None
            await until(lambda: len(store.held.turns) == 1)
            await until(lambda: ann.life.away_since is None and not ann.troubles.all())
            assert {state for _, state in ann.jobs()} <= {"done", "queued", "running"}

    asyncio.run(work())


def test_at_rest_nothing_is_written(tmp_path: Path, store: InMemoryShared) -> None:
    async def work() -> None:
        async with living(tmp_path, store, "ann", by_itself=False) as ann:
            ann.say("hers", 1)
            await ann.life.level()
            await ann.life.level()
            before, written = ann.jobs(), ann.db.last_write_at

            for _ in range(5):
                ann.life._asked_at = None  # as if its time had come
                await ann.life.look()

            assert (ann.jobs(), ann.db.last_write_at) == (before, written)

    asyncio.run(work())


@pytest.mark.parametrize("kind", kinds.SHARING)
def test_a_kind_that_a_person_paused_waits(tmp_path: Path, store: InMemoryShared, kind: str) -> None:
    async def work() -> None:
        async with living(tmp_path, store, "ann", by_itself=False) as ann:
            await ann.db.write(pauses.pause, kind, "by hand", 1, automatic=False)
            ann.say("hers", 1)

            assert not await ann.life.level()
            assert len(store.held.turns) == (kind == kinds.FETCH)

    asyncio.run(work())
