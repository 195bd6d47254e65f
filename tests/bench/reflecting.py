"""Questions beside a reflection: ``python -m tests.bench.reflecting``.

How long a search takes while the language model is asked, beside the same without; what that takes of memory; and that
the process which asks is gone a minute after.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests import messages_api
from tests.bench.process import memory_mb
from tests.messages_api import HANG, say
from tests.process.conftest import Box, until

TURNS = 5_000
ENTRIES = 40
ROUNDS = 4
SEARCHES = 60  # of a round
ANSWER = say(json.dumps({"insights": [], "operations": []}))


def searches(box: Box) -> list[float]:
    """Milliseconds of searches, one after the other, as a person waits for them."""
    took = []
    for number in range(SEARCHES):
        began = time.perf_counter()
        box.ask("search", f"note {number * 7} about the cache", "--all-projects")
        took.append((time.perf_counter() - began) * 1000)
    return took


def p95(took: Sequence[float]) -> float:
    """The time that one of twenty exceeds."""
    return statistics.quantiles(took, n=20)[-1]


def children(pid: int) -> list[int]:
    """The processes that memd has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def while_reflecting(box: Box, api: messages_api.MessagesApi, number: int, work: Callable[[], None]) -> None:
    """Do something while a reflection is asked about, from the start of the process that asks to its answer."""
    for one in range(ENTRIES):
        box.ask(
            "remember", "--scope", "global", f"entry {number}/{one} says that part {number * one} is built"
        )
    api.arrived.clear()
    api.let_go.clear()
    api.script.append(HANG)
    job = box.ask("reflect", "--now")["job"]
    work()
    api.let_go.set()
    assert until(lambda: box.ask("jobs", "show", str(job))["job"]["state"] in ("done", "retry", "dead"), 120)
    box.ctl("reflect", "--now", "--wait", "--min-new", "0", "--drain")


def main() -> None:
    """Print the figures."""
    box = Box()
    box.env["MEMD_EMBEDDER"] = "bundled"
    try:
        with messages_api.serving() as api:
            box.env |= api.env()
            api.otherwise = ANSWER
            for number in range(TURNS):
                box.write(f"note {number} about the cache and the build of part {number % 97}", number % 20)
            box.start()
            box.settle("--embedded")
            assert box.process
            pid = box.process.pid
            searches(box)
            before, apart, beside = memory_mb(pid), list[float](), list[float]()
            for number in range(ROUNDS):
                apart += searches(box)
                while_reflecting(box, api, number, lambda: beside.extend(searches(box)))
            print(f"search p95, ms: {p95(apart):.0f} alone, {p95(beside):.0f} beside a reflection")
            print(f"ratio: {p95(beside) / p95(apart):.2f}")
            print(f"memory of memd, MB: {before:.0f} before, {memory_mb(pid):.0f} after")
            print(f"children after the last answer: {len(children(pid))}")
            time.sleep(65)
            print(f"a minute later: {len(children(pid))}")
    finally:
        box.kill()


if __name__ == "__main__":
    main()
