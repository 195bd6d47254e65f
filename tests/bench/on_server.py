"""Turn memory in PostgreSQL: ``python -m tests.bench.on_server [turns]``, for a server of its own.

What adding costs a turn, and what questions cost, in CPU milliseconds of this process and of the server's for it, and
by the clock. The texts are those of the other benches.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import psycopg

from memd.api import Memory
from memd.turns.store import MemoryItem, Scope
from memd.turns.stores.postgres.store import PostgresStore
from tests import postgres_server
from tests.bench.storing import SESSION_TURNS, lines, words

QUESTIONS = 60
BATCH = 500
ADA = Scope(user_id="ada")
START = datetime(2025, 1, 1, tzinfo=UTC)
HEADS = (
    "which",
    "why did we choose",
    "should I use",
    "what did you say about",
    "how do I",
    "have I ever used",
)


def items(count: int) -> list[MemoryItem]:
    """Turns of sessions, a minute apart."""
    texts = (orjson.loads(line)["message"]["content"] for line in lines(count))
    return [
        MemoryItem(
            str(n),
            ("user", "assistant")[n % 2],
            text if isinstance(text, str) else text[0]["text"],
            START + timedelta(minutes=n),
            user_id="ada",
            run_id=f"session {n // SESSION_TURNS}",
        )
        for n, text in enumerate(texts)
    ]


def questions() -> list[str]:
    """Words that stand together in the texts, behind such as people begin with."""
    draw, vocabulary = random.Random(3), words()
    starts = [draw.randrange(len(vocabulary) - 12) for _ in range(QUESTIONS)]
    return [
        f"{HEADS[n % len(HEADS)]} {' '.join(vocabulary[start : start + 1 + n % 6])}"
        for n, start in enumerate(starts)
    ]


class Timed:
    """What calls cost this process and the server's process that answers it."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._stat = Path(f"/proc/{connection.info.backend_pid}/stat")

    def _cpu_ms(self) -> float:
        user, system = self._stat.read_text().rsplit(")")[1].split()[11:13]
        return (int(user) + int(system)) * 10 + time.process_time() * 1000

    def tell(self, what: str, calls: list[Callable[[], object]], each: int = 1) -> None:
        """Run the calls and print a line."""
        clock, cpu = list[float](), self._cpu_ms()
        for call in calls:
            began = time.perf_counter()
            call()
            clock.append((time.perf_counter() - began) * 1000)
        clock.sort()
        spent = (self._cpu_ms() - cpu) / len(calls) / each
        middle, high = clock[len(clock) // 2], clock[len(clock) * 95 // 100]
        print(f"{what:8} CPU {spent:7.2f} ms   p50 {middle:7.1f} ms   p95 {high:7.1f} ms")


def measure(count: int) -> None:
    """Add so many turns, then ask."""
    with postgres_server.running() as address, psycopg.connect(address, autocommit=True) as connection:
        store, timed = PostgresStore(connection), Timed(connection)
        memory = Memory(store)
        every = items(count)
        batches = [every[at : at + BATCH] for at in range(0, count, BATCH)]
        timed.tell("add", [lambda batch=batch: store.add(batch) for batch in batches], BATCH)
        connection.execute("VACUUM ANALYZE memd_turns, memd_turns_day")

        def ranked(text: str) -> None:
            with store.view(ADA) as view:
                view.ranked(text, 50)

        def extent() -> None:
            with store.view(ADA) as view:
                view.extent()

        asked = questions()
        timed.tell("words", [lambda text=text: ranked(text) for text in asked])
        timed.tell("extent", [extent] * QUESTIONS)
        timed.tell("search", [lambda text=text: memory.search(text, user_id="ada") for text in asked])


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
