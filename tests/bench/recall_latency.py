"""What a recall costs against the size of the history: ``python -m tests.bench.recall_latency [turns ...]``.

CPU milliseconds of the reading thread, without the embedding of the question, over histories of long texts; and the
exponent by which the worst of twenty grows with the number of turns.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vectors import Lane, Vectors
from memd.recall.context import RecallOptions
from memd.recall.recall import recall
from memd.server.history import IndexedHistory
from memd.text.tokens import Offline
from memd.turns.marks import Marks
from memd.turns.search import Question
from tests.bench import storing

SIZES = (1_000, 10_000, 100_000)
BUDGETS = (2000, 600)
OPENINGS = (
    "which",
    "why did we choose",
    "should I use",
    "what did you say about",
    "how do I",
    "summarise what we said about",
    "have I ever used",
)
NOTHING = "which glorbix narvum was it"
ROUNDS = 20
DIM = 384


def questions() -> Iterator[tuple[str, np.ndarray]]:
    """Questions of every kind, each with a vector, among them one that nothing bears on."""
    draw, rng, vocabulary = random.Random(3), np.random.default_rng(2), storing.words()
    for n in range(ROUNDS):
        for opening in OPENINGS:
            start = draw.randrange(len(vocabulary) - 12)
            yield f"{opening} {' '.join(vocabulary[start : start + 1 + n % 6])}", _vector(rng)
        yield NOTHING, _vector(rng)


def _vector(rng: np.random.Generator) -> np.ndarray:
    drawn = rng.normal(size=DIM).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def took(db: Database, space: int, budget: int) -> list[float]:
    """CPU milliseconds of every question, the fastest first; what is read once per start was read before."""
    vectors, marks, counter, options = Vectors(), Marks(), Offline(), RecallOptions(budget=budget)

    def answered(connection: Connection, text: str, vector: np.ndarray) -> float:
        began = time.thread_time()
        history = IndexedHistory(connection, Question(text), Lane(vectors, space, vector), marks)
        recall(text, history, options, counter)
        return (time.thread_time() - began) * 1000

    asked = list(questions())
    for text, vector in asked[: len(OPENINGS)]:
        db.read_now(answered, text, vector)
    return sorted(db.read_now(answered, text, vector) for text, vector in asked)


def at(sorted_ms: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted_ms[int(len(sorted_ms) * share)]


def measure(sizes: Sequence[int] = SIZES) -> None:
    """Print the table."""
    worst: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            _, _, db, intake = storing.imported(list(storing.lines(size)), Path(name))
            space = storing.vectors_for(db, DIM)
            for budget in BUDGETS:
                ms = took(db, space, budget)
                worst[budget].append(at(ms, 0.95))
                print(
                    f"recall of {budget} tokens at {size} turns, CPU ms:"
                    f" p50 {at(ms, 0.5):.1f}, p95 {at(ms, 0.95):.1f}, max {ms[-1]:.1f}"
                )
            intake.stop(10)
            db.close()
    for budget, ms in worst.items():
        if len(sizes) > 1:
            print(f"growth exponent of p95 at {budget} tokens: {_exponent(sizes, ms):.2f}")


def _exponent(sizes: Sequence[int], ms: Sequence[float]) -> float:
    return math.log(ms[-1] / ms[0]) / math.log(sizes[-1] / sizes[0])


def main() -> None:
    """Print the table for the sizes that the command line names."""
    measure([int(size) for size in sys.argv[1:]] or SIZES)


if __name__ == "__main__":
    main()
