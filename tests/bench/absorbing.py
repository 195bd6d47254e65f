"""Observations absorbed over kills: ``python -m tests.bench.absorbing [records] [kills]``.

So many records in ten logs; the daemon is killed so many times while it absorbs them. Then every record must have
counted exactly once. Beside it, what a record costs without kills, in CPU time.
"""

from __future__ import annotations

import random
import shutil
import sys
import time

from tests.bench.process import cpu_s
from tests.process.conftest import Box
from tests.sources.logs import log, record

THINGS = 50


def write(box: Box, count: int) -> None:
    """The logs: each record says three things of its own, and mentions two of the fifty."""
    draw = random.Random(7)
    for day in range(10):
        said = [
            record(
                number,
                project=f"app{number % 5}",
                facts=[
                    f"fact {number}: {draw.getrandbits(64):x} holds",
                    f"port of {number} is {draw.getrandbits(40)}",
                ],
                decisions=[f"decided in {number}: {draw.getrandbits(64):x}"],
                entities=[f"Thing {number % THINGS}"],
                relationships=[
                    {"source": f"Thing {number % THINGS}", "target": "Hub", "relationship_type": "uses"}
                ],
            )
            for number in range(day, count, 10)
        ]
        log(box.home / "data" / "observations", *said, day=f"2026-11-{day + 1:02d}")


def check(box: Box, count: int) -> None:
    """Each record once: entries, sightings, mentions."""
    listed = box.ask("entities", "--limit", "1000")["entities"]
    mentions = {row["name"]: row["mention_count"] for row in listed}
    wanted = {f"Thing {n}": len(range(n, count, THINGS)) for n in range(min(THINGS, count))} | {"Hub": count}
    assert mentions == wanted, {
        name: (mentions.get(name), n) for name, n in wanted.items() if mentions.get(name) != n
    }
    figures = box.ask("status")["counts"]
    assert figures["observations"]["records"] == count, figures
    assert figures["observations"]["waiting"] == figures["observations"]["set_aside"] == 0, figures
    said = 0
    for project in range(5):
        rows = box.ask("observations", "--entries", "--project", f"app{project}", "--limit", "1000")[
            "entries"
        ]
        assert all(row["sightings"] == 1 for row in rows)
        said += len(rows)
    assert said == min(3 * count, 5 * 1000), said


def left(box: Box) -> int:
    """How many records wait."""
    waiting: int = box.ask("status")["counts"]["observations"]["waiting"]
    return waiting


def measure(count: int, kills: int) -> None:
    """One run."""
    box = Box()
    try:
        write(box, count)
        draw = random.Random(count)
        for _ in range(kills):
            box.start()
            time.sleep(draw.uniform(0.1, 1.5))
            box.kill()
        box.start()
        assert box.process
        began, waiting = cpu_s(box.process.pid), left(box) or count
        while left(box):
            box.ctl("sync", "--wait", "--timeout", "30")
        spent = cpu_s(box.process.pid) - began
        check(box, count)
        each = f", {1000 * spent / waiting:.1f} ms of CPU a record for the last {waiting}" if waiting else ""
        print(f"{count} records over {kills} kills: each once{each}")
    finally:
        box.kill()
        shutil.rmtree(box.root, ignore_errors=True)


def main() -> None:
    """Without kills, then with them."""
    count, kills = (int(word) for word in (*sys.argv[1:], "5000", "10")[:2])
    measure(count, 0)
    measure(count, kills)


if __name__ == "__main__":
    main()
