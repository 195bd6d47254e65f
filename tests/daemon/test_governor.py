"""The governor: background work yields to questions, the machine and the ceiling of memory, and to nobody for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from memd.clock import FixedClock
from memd.config.sections.models import GovernorOptions
from memd.daemon import governor as governing
from memd.daemon import machine
from memd.daemon.governor import FREE_SECONDS, HELD_SECONDS, Governor
from memd.services import Troubles


class Machine:
    """A machine whose figures are set, and on which waiting takes no time but on the clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.memory, self.load, self.battery = 100.0, 0.0, False
        self.clock = FixedClock()
        self.troubles = Troubles(self.clock)
        self.slept = 0.0
        self.relieved = 0
        self.on_sleep: Callable[[], None] = lambda: None
        monkeypatch.setattr(machine, "memory_mb", lambda: self.memory)
        monkeypatch.setattr(machine, "load", lambda: self.load)
        monkeypatch.setattr(machine, "on_battery", lambda: self.battery)
        monkeypatch.setattr(governing.asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.on_sleep()
        self.slept += seconds
        self.clock.move(seconds)

    def governor(self, *, memory_mb: int = 600, cpu_share: float = 0.5) -> Governor:
        return Governor(self.clock, self.troubles, GovernorOptions(memory_mb, cpu_share))

    async def relieve(self) -> None:
        self.relieved += 1

    def look(self, governor: Governor) -> None:
        """One look of the loop that looks for ever."""

        def end() -> None:
            raise asyncio.CancelledError

        self.on_sleep = end
        with pytest.raises(asyncio.CancelledError):
            run(governor.run(self.relieve))
        self.on_sleep = lambda: None


def run(work: Coroutine[object, object, None]) -> None:
    asyncio.run(work)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def test_short_work_runs_free_and_long_work_at_its_share(here: Machine) -> None:
    governor = here.governor(cpu_share=0.5)

    run(governor.turn(FREE_SECONDS))
    assert here.slept == 0
    run(governor.turn(1.0))

    assert here.slept == pytest.approx(2.0)


@pytest.mark.parametrize(("load", "battery", "why"), [(3.0, False, "busy"), (0.0, True, "battery")])
def test_on_a_busy_machine_and_on_a_battery_the_share_is_a_quarter(
    here: Machine, load: float, battery: bool, why: str
) -> None:
    governor = here.governor(cpu_share=0.4)
    here.load, here.battery = load, battery
    here.look(governor)

    run(governor.turn(FREE_SECONDS + 1.0))

    assert here.slept == pytest.approx(10.0, rel=0.01)
    assert why in str(governor.figures()["background"])
    assert governor.figures()["cpu_share_now"] == 0.1


def test_whoever_waits_for_the_work_lifts_the_share(here: Machine) -> None:
    governor = here.governor()
    with governor.hurry():
        run(governor.turn(1000))
    assert here.slept == 0

    run(governor.turn(1))
    assert here.slept > 100


def test_over_the_ceiling_work_stands_still_memory_is_given_back_and_it_is_said(here: Machine) -> None:
    governor = here.governor(memory_mb=600)
    here.memory = 700
    here.look(governor)

    assert here.relieved == 1
    assert "600" in here.troubles.all()[0].what
    with governor.hurry():
        run(governor.turn(0.1))
    assert here.slept == pytest.approx(HELD_SECONDS)


def test_it_stands_still_as_long_as_memory_is_short_and_goes_on_by_itself(here: Machine) -> None:
    governor = here.governor(memory_mb=600)
    here.memory = 700
    for _ in range(3):
        here.look(governor)
        here.clock.move(HELD_SECONDS - 1)
    assert governor.figures()["background"] == "held: memory"

    here.memory = 300
    here.look(governor)
    assert here.troubles.all(), "it is not over before it was so for a while"
    here.clock.move(1)
    here.look(governor)

    assert here.troubles.all() == []
    assert governor.figures()["background"] == "free"
    run(governor.turn(0.1))
    assert here.slept == 0


def test_questions_go_first_but_many_of_them_do_not_stop_the_work(
    here: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(governing, "QUESTION_SECONDS", 0.05)
    governor = here.governor()
    order: list[str] = []

    async def work() -> None:
        await governor.turn(0.1)
        order.append("work")

    async def story(*, answered: bool) -> None:
        with governor.question(), governor.question():
            working = asyncio.create_task(work())
            if not answered:
                await working
            await asyncio.wait([working], timeout=0.001)
            order.append("answer")
        await working

    async def both() -> None:
        await story(answered=True)
        await story(answered=False)

    run(both())
    assert order == ["answer", "work", "work", "answer"]


def test_memory_is_that_of_the_process_and_those_below_it() -> None:
    assert 10 < machine.memory_mb() < 5000
    assert machine.load() >= 0
    assert machine.cores() >= 1
    assert machine.on_battery() in (True, False)
