"""What is looked at while memd runs: its files and its disk."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from memd.clock import FixedClock
from memd.daemon import health
from memd.daemon.health import Health
from memd.daemon.notify import Notifier
from memd.db.database import Database
from memd.errors import Fatal
from memd.server.listener import Listener
from memd.services import Services, Troubles
from memd.text.tokens import Estimate
from tests import rows

ESTIMATE = Estimate()


class Resting(Estimate):
    """Notes for how many seconds it may lie idle."""

    asked: list[float]

    def release_if_idle(self, now: float, idle_s: float) -> bool:
        self.asked.append(idle_s)
        return False


class Socket:
    """Says so once it was asked three times to see to its file."""

    def __init__(self, looked: asyncio.Event) -> None:
        self._looks, self._looked = 0, looked

    def rebind_if_gone(self) -> bool:
        self._looks += 1
        if self._looks == 3:
            self._looked.set()
        return False


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with rows.database(tmp_path) as one:
        yield one


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LOOK_SECONDS", 0.01)


async def looked(
    db: Database,
    troubles: Troubles,
    during: str = "",
    counter: Estimate = ESTIMATE,
    encoder: Estimate = ESTIMATE,
) -> list[Fatal]:
    """What a few looks came to; ``during`` them the database's file is removed or replaced."""
    fatal: list[Fatal] = []
    done = asyncio.Event()

    def on_fatal(error: Fatal) -> None:
        fatal.append(error)
        done.set()

    none = SimpleNamespace(serving=None, opened=list)
    services = SimpleNamespace(
        db=db,
        troubles=troubles,
        embedding=none,
        cross_encoder=encoder,
        clock=FixedClock(),
        counter=counter,
    )
    one = Health(
        cast(Services, services),
        cast(Listener, Socket(done)),
        Notifier({}),
        idle_seconds=1,
        on_fatal=on_fatal,
    )
    task = asyncio.create_task(one.run())
    if during == "removed":
        db.path.unlink()
    if during == "replaced":
        copy = db.path.with_name("copy")
        shutil.copy(db.path, copy)
        copy.replace(db.path)
    async with asyncio.timeout(10):
        await done.wait()
    task.cancel()
    await asyncio.wait([task])
    return fatal


@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_a_database_that_is_removed_or_replaced_under_memd_ends_it_to_be_started_anew(
    db: Database, what: str
) -> None:
    fatal = asyncio.run(looked(db, Troubles(FixedClock()), what))

    assert [error.exit_code for error in fatal] == [75]
    assert str(db.path) in fatal[0].message


def test_a_disk_that_is_about_to_be_full_is_told_of_until_there_is_room(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = Troubles(FixedClock())
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5 << 20))
    asyncio.run(looked(db, troubles))

    assert [trouble.what for trouble in troubles.all()] == [f"only 5 MB are free for {db.path.parent}"]

    monkeypatch.undo()
    monkeypatch.setattr(health, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(health, "LOW_SPACE_BYTES", 0)
    asyncio.run(looked(db, troubles))
    assert troubles.all() == []


@pytest.mark.parametrize("what", ["counter", "encoder"])
def test_what_holds_much_memory_is_asked_to_give_it_back(db: Database, what: str) -> None:
    Resting.asked = []

    asyncio.run(looked(db, Troubles(FixedClock()), **{what: Resting()}))  # type: ignore[arg-type]  # by name

    assert set(Resting.asked) == {1}
