"""Many clients at once, and searching while turns are imported: ``python -m tests.bench.clients``.

Each client asks anew as soon as it has its answer, so with n of them an answer takes about n searches' time. The
clients are one process beside memd and use the same cores; what they use is in the figures.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from memd.wire import frames, messages
from tests.process.conftest import Box

TURNS = 3000
IMPORTED = 2000
CALLS = 1500
TARGETS_MS = {1: 30.0, 20: 250.0, 200: 2000.0}
IMPORT_TARGET_MS = 1000.0
WORDS = ["cache", "index", "release", "branch", "schema", "proxy", "metrics", "rollback", "harbour"]


@dataclass
class Answers:
    """What a crowd of clients got: milliseconds of each answer, and what was no right answer."""

    ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """So many of a hundred answers came within these milliseconds."""
        return sorted(self.ms)[min(len(self.ms) - 1, int(share / 100 * len(self.ms)))]


class Client:
    """One connection that asks one thing after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._calls = 0

    async def call(self, method: str, **params: object) -> dict[str, object]:
        """The answer's frame."""
        self._calls += 1
        self._writer.write(frames.encode(messages.request(self._calls, method, params)))
        size = int.from_bytes(await self._reader.readexactly(frames.HEADER), "big")
        return frames.decode(await self._reader.readexactly(size), frames.ANSWER)


@asynccontextmanager
async def connected(box: Box) -> AsyncIterator[Client]:
    """A client of the box's memd."""
    reader, writer = await asyncio.open_unix_connection(box.home / "run" / "memd.sock", limit=1 << 22)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


async def crowd(box: Box, clients: int, calls: int, marks: Iterable[str]) -> Answers:
    """So many clients at once, each with so many searches for one of the marks, which must come first."""
    answers, known = Answers(), list(marks)
    await asyncio.gather(*(_one(box, number, calls, known, answers) for number in range(clients)))
    return answers


async def _one(box: Box, number: int, calls: int, marks: list[str], answers: Answers) -> None:
    draw = random.Random(number)
    try:
        async with connected(box) as client:
            for _ in range(calls):
                mark = draw.choice(marks)
                began = time.perf_counter()
                answer = await client.call("search", query=mark, limit=3)
                answers.ms.append((time.perf_counter() - began) * 1000)
                if not _is_first(mark, answer.get("result")):
                    answers.failures.append(f"{mark}: {answer.get('error') or 'not found'}")
    except (OSError, EOFError) as error:
        answers.failures.append(type(error).__name__)


def _is_first(mark: str, result: object) -> bool:
    hits = result.get("results") if isinstance(result, dict) else None
    return bool(hits) and mark in hits[0]["text"].split()


def fill(box: Box, name: str, count: int) -> list[str]:
    """So many lines over ten transcripts; the word by which each is found."""
    draw, marks = random.Random(name), [f"{name}{number}mark" for number in range(count)]
    for number, mark in enumerate(marks):
        box.write(f"{mark} " + " ".join(draw.choices(WORDS, k=40)), number % 10, slug=f"-{name}")
    return marks


async def while_importing(box: Box, count: int, clients: int, marks: list[str]) -> Answers:
    """What the clients get while so many new turns come in, until all of those are stored."""

    def bring_in() -> None:
        fill(box, "fresh", count)
        box.settle()

    answers = Answers()
    waiting = asyncio.create_task(asyncio.to_thread(bring_in))
    while not waiting.done():
        some = await crowd(box, clients, 5, marks)
        answers.ms += some.ms
        answers.failures += some.failures
    await waiting
    return answers


def main() -> int:
    """Print each figure beside its target; 1 where one is missed."""
    box, missed = Box(), 0

    def tell(what: str, answers: Answers, share: int, target: float) -> None:
        nonlocal missed
        value = answers.percentile(share)
        missed += value > target or bool(answers.failures)
        print(
            f"{what:<34} {len(answers.failures)} of {len(answers.ms)} failed, median {answers.percentile(50):6.1f} ms,"
            f" p{share} {value:7.1f} ms (at most {target:.0f})  {' '.join(answers.failures[:1])}"
        )

    try:
        marks = fill(box, "old", TURNS)
        box.start()
        box.settle("--embedded")
        for clients, target in TARGETS_MS.items():
            tell(f"{clients} clients", asyncio.run(crowd(box, clients, CALLS // clients, marks)), 99, target)
        answers = asyncio.run(while_importing(box, IMPORTED, 20, marks))
        tell(f"20 clients beside an import of {IMPORTED}", answers, 95, IMPORT_TARGET_MS)
        lost = TURNS + IMPORTED - len({turn["text"].split()[0] for turn in box.export()})
        print(f"turns lost: {lost}")
        return 1 if missed or lost else 0
    finally:
        box.kill()
        shutil.rmtree(box.root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
