"""Processor time: short work has it at once, long work at a rate."""

from __future__ import annotations

import pytest

from memd.daemon.allowance import Allowance


def test_short_work_never_waits() -> None:
    allowance = Allowance(20)

    for now in range(19):
        allowance.take(1, now, 0.1)

        assert allowance.wait(now, 0.1) == 0


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_long_work_keeps_to_the_rate(rate: float) -> None:
    allowance, now, used = Allowance(20), 0.0, 0.0
    while used < 500:
        now += 0.1  # the call itself
        allowance.take(0.1, now, rate)
        used += 0.1
        now += allowance.wait(now, rate)

    assert (used - 20) / now == pytest.approx(rate, rel=0.02)


def test_rest_fills_it_up_but_not_over_the_brim() -> None:
    allowance = Allowance(20)
    allowance.take(30, 0, 0.5)
    assert allowance.wait(0, 0.5) == 20
    assert allowance.wait(20, 0.5) == 0

    allowance.take(20, 10_000, 0.5)
    assert allowance.wait(10_000, 0.5) == 0
    allowance.take(1, 10_000, 0.5)
    assert allowance.wait(10_000, 0.5) == 2
