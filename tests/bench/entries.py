"""How well, and how fast, entries are found: ``python -m tests.bench.entries``.

A made store of statements about forty services: old answers, new and important talk around them, values that changed.
The first table compares mait-code's rank with ours, for several weights of what decides near ties; the second shows
entries beside the turns they came from, for several lifts; the third has the CPU time of a search among 50,000 entries
in 40 projects, beside that of embedding its question. Seeded; with the bundled model.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memd.db import keyword, vectors
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, TEXTS
from memd.db.vectors import Lane, Vectors
from memd.memory import search, table
from memd.memory.entry import EVERYWHERE, Draft, EntryType, MemoryScope
from memd.memory.search import Question
from memd.memory.which import Which
from memd.providers.embedding.bundled import BundledEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.ranking import fusion, statements
from memd.server import finding
from memd.server.finding import Asked
from memd.turns import search as turn_search
from memd.turns import spaces
from memd.turns import table as turn_table
from tests.memory.entries import DAY_MS, NOW
from tests.rows import database, store, turn

FIRST = ["billing", "thumbnail", "search", "login", "invoice", "audit", "mail", "export"]
SECOND = ["gateway", "worker", "index", "scheduler", "proxy"]
SAYS: Sequence[tuple[EntryType, str, str]] = (
    ("fact", "The {s} listens on port {n}", "which port does the {s} use?"),
    (
        "fact",
        "Credentials of the {s} live in the vault under {w}",
        "where do we keep the secrets of the {s}?",
    ),
    (
        "decision",
        "We chose {d} for the {s} because writes come in bursts",
        "what database is behind the {s}?",
    ),
    ("preference", "A change to the {s} is reviewed by {k} people", "how many reviewers does the {s} need?"),
    ("procedure", "Drain the queue of the {s} before it is restarted", "how do I restart the {s} safely?"),
    ("event", "The {s} was down since its certificate had run out", "why was the {s} unavailable?"),
)
VAGUE = (
    "We talked about the {s} again",
    "The {s} needs attention soon",
    "Somebody asked how the {s} is doing",
)
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday"]


@dataclass(frozen=True, slots=True)
class Made:
    """A statement, and the question that it answers (none of talk)."""

    draft: Draft
    days: float
    asks: str | None


def made(seed: int = 7) -> list[Made]:
    """Old answers of little importance, new talk of much, and pairs of an old value and the new one."""
    draw, found = random.Random(seed), list[Made]()
    for name in [f"{one} {other}" for one in FIRST for other in SECOND]:
        fill = {"s": name, "n": draw.randint(1024, 9999), "w": draw.choice(FIRST), "k": draw.choice("123")}
        for kind, text, asks in SAYS:
            said = text.format(**fill, d=draw.choice(["Postgres", "SQLite", "Redis"]))
            draft = Draft(said, kind, draw.randint(2, 6))
            found.append(Made(draft, draw.uniform(30, 600), asks.format(s=name)))
        for text in VAGUE:
            found.append(
                Made(Draft(text.format(s=name), "event", draw.randint(8, 10)), draw.uniform(0, 3), None)
            )
        old, new = draw.sample(DAYS, 2)
        found.append(Made(Draft(f"The {name} is deployed on {old}s"), 200, None))
        found.append(Made(Draft(f"The {name} is deployed on {new}s"), 5, f"when is the {name} deployed?"))
    draw.shuffle(found)
    return found


@contextmanager
def stored(statements: Sequence[Made], model: BundledEmbedder, *, said: bool) -> Iterator[Database]:
    """A store of them; with ``said`` every answer as a turn, and only every other one as an entry."""
    with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as db:
        db.write_now(spaces.ensure, "bench", model.space.dim)
        if said:
            around = "so I looked at it for a while, and this is how it is: {}. Anything else that you need?"
            store(db, [turn(n, around.format(one.draft.content)) for n, one in enumerate(statements)])
            db.write_now(turn_table.queue_vectors)

        def work(connection: Connection) -> None:
            for n, one in enumerate(statements):
                if not (said and n % 2):
                    table.insert(connection, one.draft, NOW - int(one.days * DAY_MS))

        db.write_now(work)
        for of in (ENTRIES, TEXTS):
            rows = db.read_now(spaces.waiting, 1, 10_000, of)
            blobs = [to_blobs(found) for found in model.embed_documents([text for _, text in rows])]
            db.write_now(spaces.put, 1, [(row, blob) for (row, _), blob in zip(rows, blobs, strict=True)], of)
        yield db


def ours(db: Database, query: str, lane: Lane) -> list[str]:
    """Contents in our order."""
    told = db.read_now(keyword.plan, query)
    found = db.read_now(search.find, Question(query, NOW), lane, told)
    rows = [one.row for one in fusion.best(found.ranked(), 5)]
    entries = db.read_now(table.by_ids, rows)
    return [entries[row].content for row in rows]


def seeds(db: Database, query: str, lane: Lane) -> list[str]:
    """Contents in mait-code's order."""
    return [one.entry.content for one in db.read_now(search.seed, Question(query, NOW, limit=5), lane)]


def recall(
    db: Database, asked: Sequence[tuple[Made, Lane]], rank: Callable[[Database, str, Lane], list[str]]
) -> str:
    """R@1 and R@5 in percent: of old answers, and of changed values."""
    told = []
    for changed in (False, True):
        some = [(one, lane) for one, lane in asked if (one.days == 5) is changed]
        ranks = [rank(db, str(one.asks), lane) for one, lane in some]
        for k in (1, 5):
            hits = sum(one.draft.content in found[:k] for (one, _), found in zip(some, ranks, strict=True))
            told.append(f"{100 * hits / len(some):5.1f}")
    return " ".join(told)


def compare(model: BundledEmbedder) -> None:
    """The first table."""
    print("entries alone                 old answers R@1 R@5   changed values R@1 R@5")
    everything = made()
    with stored(everything, model, said=False) as db:
        known = Vectors()
        asked = [(one, Lane(known, 1, model.embed_query(one.asks))) for one in everything if one.asks]
        print(f"  mait-code's rank            {recall(db, asked, seeds)}")
        shipped = statements.NEAR_TIE
        for tie in (0.0, 0.01, shipped, 0.03, 0.06, 0.12, 0.3, 1.0):
            statements.NEAR_TIE = tie
            print(f"  ours, near ties within {tie:4.2f} {recall(db, asked, ours)}")
        statements.NEAR_TIE = shipped


def beside(model: BundledEmbedder) -> None:
    """The second table."""
    print("entries beside turns          entry first where there is one, turn first where there is none")
    everything = [one for one in made() if one.asks]
    with stored(everything, model, said=True) as db:
        known = Vectors()
        lanes = [Lane(known, 1, model.embed_query(str(one.asks))) for one in everything]
        shipped = statements.LIFT
        for lift in (1.0, 1.2, shipped, 1.5, 2.0):
            statements.LIFT = lift
            hits = [0, 0]
            for n, (one, lane) in enumerate(zip(everything, lanes, strict=True)):
                query = str(one.asks)
                both = Asked(query, 1, turn_search.Question(query, 1), Question(query, NOW, limit=1))
                (first,) = db.read_now(finding.find, both, lane).records[:1] or ({"kind": "", "text": ""},)
                wanted = "turn" if n % 2 else "entry"
                hits[n % 2] += first["kind"] == wanted and one.draft.content in str(first["text"])
            half = len(everything) / 2
            print(
                f"  lifted by {lift:3.1f}                {100 * hits[0] / half:5.1f} {100 * hits[1] / half:5.1f}"
            )
        statements.LIFT = shipped


def speed(model: BundledEmbedder, count: int = 50_000, projects: int = 40) -> None:
    """The third table: CPU milliseconds, the median and the 95th of a hundred."""
    draw, everything = random.Random(3), made()
    texts = [one.draft.content for one in everything]
    real = np.concatenate(model.embed_documents(texts))
    with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as db:
        db.write_now(spaces.ensure, "bench", model.space.dim)

        def fill(connection: Connection) -> None:
            for n in range(projects):
                connection.execute("INSERT INTO project VALUES (?1, 'p' || ?1, '/p/' || ?1, 'cwd')", (n + 1,))
            mixed = (
                real[np.arange(count) % len(real)]
                + 0.5 * real[[draw.randrange(len(real)) for _ in range(count)]]
            )
            for n, blob in enumerate(to_blobs(mixed.astype(np.float32))):
                scope = MemoryScope(1 + draw.randrange(projects)) if n % 20 else EVERYWHERE
                text = f"{texts[n % len(texts)]}, noted as {draw.choice(texts).lower()} {n}"
                entry = table.insert(connection, Draft(text, scope=scope), NOW - n * 60_000)
                vectors.put(connection, 1, [(entry, [blob])], ENTRIES)

        db.write_now(fill)
        asked = [str(one.asks) for one in everything if one.asks][:100]
        embedding = [_cpu_ms(lambda query=query: model.embed_query(query)) for query in asked]
        known, meant = Vectors(), [model.embed_query(query) for query in asked]
        print(f"search among {count:,} entries    median  p95")
        for name, which in (("one project", Which([3])), ("all projects", Which())):
            for mode in ("keyword", "hybrid"):
                took = []
                for query, vector in zip(asked, meant, strict=True):
                    both = Asked(
                        query, 10, turn_search.Question(query), Question(query, NOW, which, mode=mode)
                    )
                    lane = Lane(known, 1, vector)
                    took.append(_cpu_ms(lambda both=both, lane=lane: db.read_now(finding.find, both, lane)))
                print(f"  {name:<13} {mode:<10}    {_spread(took)}")
        print(f"  embedding a question        {_spread(embedding)}")


def _cpu_ms(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


def _spread(times: Sequence[float]) -> str:
    return f"{np.percentile(times[5:], 50):6.1f} {np.percentile(times[5:], 95):6.1f}"


def main() -> None:
    """All three."""
    model = BundledEmbedder()
    compare(model)
    beside(model)
    speed(model)


if __name__ == "__main__":
    main()
