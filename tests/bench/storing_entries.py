"""Storing an entry among many: ``python -m tests.bench.storing_entries [entries projects]``.

Milliseconds of the writer's thread for a store with the search for duplicates, by letters and by vectors, without the
embedding and without the sync of the commit: of new texts, of known ones, and of texts that all look alike.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memd.db.database import Database
from memd.db.driver import Connection
from memd.memory import nearest, table, writer
from memd.memory.entry import TYPES, Draft, MemoryScope
from memd.memory.meaning import Meaning
from memd.providers.embedding.quantise import to_blobs
from memd.sources import attribution
from memd.sources.projects import Project
from memd.turns import spaces
from tests.bench.storing import words
from tests.rows import database

DIM = 384
STORES = 200
BATCH = 5_000


class Entries:
    """Texts of 8 to 25 words, of every type, over the projects, each with a vector drawn at random."""

    def __init__(self, db: Database, projects: int) -> None:
        self.db, self.draw, self.vocabulary = db, random.Random(3), words()
        self.numbers = np.random.default_rng(1)
        self.space = db.write_now(spaces.ensure, "bench", DIM)
        self.projects = [
            db.write_now(attribution.row_of, Project(f"p{number}", f"/p{number}", "cwd"))
            for number in range(projects)
        ]

    def draft(self, content: str | None = None) -> Draft:
        size = self.draw.randint(8, 25)
        start = self.draw.randrange(len(self.vocabulary) - size)
        text = content or " ".join(self.vocabulary[start : start + size])[:400]
        scope = MemoryScope(self.draw.choice(self.projects))
        return Draft(text, self.draw.choice(TYPES), scope=scope)

    def meaning(self) -> Meaning:
        return Meaning(self.space, self.numbers.standard_normal((1, DIM)).astype(np.float32))

    def fill(self, count: int) -> list[Draft]:
        """Store so many without a look at what there is; some of them."""

        def some(connection: Connection, drafts: list[Draft]) -> None:
            blobs = to_blobs(self.numbers.standard_normal((len(drafts), DIM)).astype(np.float32))
            for draft, blob in zip(drafts, blobs, strict=True):
                nearest.put(connection, self.space, table.insert(connection, draft, 1), [blob])

        drafts: list[Draft] = []
        for _ in range(0, count, BATCH):
            drafts = [self.draft() for _ in range(min(BATCH, count))]
            self.db.write_now(some, drafts)
        return drafts

    def alike(self, count: int) -> Iterator[Draft]:
        """Texts that differ in a few figures alone, all of one type and project."""
        for number in range(count):
            text = f"The worker {number} of the fleet listens on port {9000 + number} behind the balancer"
            yield Draft(text, "fact", scope=MemoryScope(self.projects[0]))

    def stored(self, drafts: Iterator[Draft]) -> str:
        """Store them one by one; the times it took."""
        times: list[float] = []

        def store(connection: Connection, draft: Draft, meaning: Meaning) -> None:
            began = time.thread_time()
            writer.store(connection, draft, meaning, 2)
            times.append(time.thread_time() - began)

        for draft in drafts:
            self.db.write_now(store, draft, self.meaning())
        p50, p95 = np.percentile(times, (50, 95)) * 1000
        return f"p50 {p50:5.1f} ms, p95 {p95:5.1f} ms"


def measure(count: int, projects: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as db:
        entries = Entries(db, projects)
        known = entries.fill(count)
        print(f"store among {count:,} entries in {projects} projects (bound: p95 50 ms)")
        print("  new    ", entries.stored(entries.draft() for _ in range(STORES)))
        print("  known  ", entries.stored(iter(known[:STORES])))
        print("  alike  ", entries.stored(entries.alike(2 * STORES)))


def main() -> None:
    """Measure as the command line says, else at 50,000 entries in 40 projects."""
    count, projects = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (50_000, 40)
    measure(count, projects)


if __name__ == "__main__":
    main()
