"""Import and search against their floors, in one run on this machine: ``python -m tests.bench.storing [turns]``.

Floor of the import, in CPU seconds: orjson over the same lines, and nothing but the inserts of texts, turns and index
rows, the same ones into the same tables, as many to a commit. Search: text and hybrid over the turns that were
imported, against one embedding of a question.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import numpy as np
import orjson

from memd.clock import SystemClock
from memd.db import driver, migrate
from memd.db.database import Database
from memd.db.vectors import Vectors
from memd.ids import content_key
from memd.intake.loop import BATCH_LINES, Intake
from memd.intake.reading import Reader
from memd.providers.embedding.open import open_embedder
from memd.providers.embedding.quantise import to_blobs
from memd.services import Troubles
from memd.sources.exclusions import Exclusions
from memd.sources.watched import Watched
from memd.turns import search, spaces
from memd.turns.search import Question

SESSION_TURNS = 200
QUERIES = 200


def words() -> list[str]:
    """A vocabulary with the long tail that text has, from the standard library's own sources."""
    import argparse
    import asyncio.base_events
    import email.message
    import typing

    text = " ".join(
        Path(str(m.__file__)).read_text() for m in (argparse, typing, asyncio.base_events, email.message)
    )
    return [word for word in text.split() if word.isascii()]


def lines(count: int) -> Iterator[bytes]:
    """Transcript lines as the client writes them: about a kilobyte, one in twenty over eight."""
    draw, vocabulary, parent = random.Random(7), words(), None
    for n in range(count):
        size = min(3000, int(draw.lognormvariate(4.4, 1.2)) + 3)
        start = draw.randrange(len(vocabulary) - size)
        text = f"turn{n} " + " ".join(vocabulary[start : start + size])
        role = "user" if n % 2 == 0 else "assistant"
        content: object = text if role == "user" else [{"type": "text", "text": text}]
        uuid = str(UUID(int=draw.getrandbits(128), version=4))
        record = {
            "parentUuid": parent if n % SESSION_TURNS else None,
            "isSidechain": False,
            "cwd": f"/home/dev/p{n // 20_000}",
            "sessionId": f"{n // SESSION_TURNS:08x}-0000-4000-8000-000000000000",
            "version": "2.1.0",
            "type": role,
            "uuid": uuid,
            "timestamp": f"2026-01-{1 + n // 86400 % 28:02d}T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z",
            "message": {"role": role, "content": content, "id": f"msg_{n}"},
        }
        parent = uuid
        yield json.dumps(record).encode()


def floor(data: list[bytes], folder: Path) -> float:
    """CPU seconds of the least that fills the same tables: it checks nothing, and knows one session and one file."""
    path = folder / "floor.db"
    connection = driver.connect(path, write=True, cache_kib=16_000)
    migrate.migrate(connection, path, folder)
    connection.execute("INSERT INTO session (id, key, format) VALUES (1, 's', 'f')")
    connection.execute(
        "INSERT INTO file (id, path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, session)"
        " VALUES (1, 'p', 0, 0, 0, 0, 0, x'', x'', 's')"
    )
    began = time.process_time()
    for at in range(0, len(data), BATCH_LINES):
        texts: list[tuple[int, bytes, str]] = []
        turns: list[tuple[object, ...]] = []
        for n, raw in enumerate(data[at : at + BATCH_LINES], at + 1):
            record = orjson.loads(raw)
            message = record["message"]
            content = message["content"]
            text = content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)
            texts.append((n, content_key(text), text))
            turns.append(
                (
                    n,
                    record["uuid"],
                    n,
                    record["type"],
                    n,
                    n,
                    n,
                    record["timestamp"],
                    record["uuid"],
                    message["id"],
                )
            )
        with driver.transaction(connection):
            connection.executemany("INSERT INTO content (id, key, text) VALUES (?, ?, ?)", texts)
            connection.executemany(
                """INSERT INTO turn (rowid, id, session_id, seq, role, content_id, file_id, at_ms, sort_ms, timestamp,
                     uuid, message_id) VALUES (?, ?, 1, ?, ?, ?, 1, ?, ?, ?, ?, ?)""",
                turns,
            )
            connection.executemany(
                "INSERT INTO turn_fts (rowid, text) VALUES (?, ?)", [(n, text) for n, _, text in texts]
            )
    spent = time.process_time() - began
    connection.close()
    return spent


def imported(data: list[bytes], folder: Path) -> tuple[float, float, Database, Intake]:
    """CPU and wall seconds of ours, and what it filled."""
    root = folder / "projects" / "-bench"
    root.mkdir(parents=True)
    for at in range(0, len(data), SESSION_TURNS):
        session = f"{at // SESSION_TURNS:08x}-0000-4000-8000-000000000000"
        (root / f"{session}.jsonl").write_bytes(b"\n".join(data[at : at + SESSION_TURNS]) + b"\n")
    db = Database(folder / "memd.db")
    db.open(lambda connection: migrate.migrate(connection, folder / "memd.db", folder))
    intake = Intake(
        db,
        Reader(db, Exclusions((), lambda cwd: None), subagents=False, own_home="/none"),
        Troubles(SystemClock()),
        Watched([os.fsencode(root.parent)], subagents=False),
        interval=lambda: 3600.0,
        follow_up=None,
        on_stored=lambda n: None,
        on_quiet=lambda: None,
        on_fatal=lambda error: sys.exit(str(error)),
    )
    began, wall = time.process_time(), time.perf_counter()
    intake.start()
    intake.rescan().result(3600)
    return time.process_time() - began, time.perf_counter() - wall, db, intake


def rescanned(intake: Intake, root: Path) -> tuple[float, float]:
    """CPU seconds of a scan of the unchanged tree, and of a bare pass of scandir and stat."""
    began = time.process_time()
    intake.rescan().result(600)
    ours = time.process_time() - began
    began = time.process_time()
    for folder in os.scandir(root):
        for entry in os.scandir(folder.path):
            entry.stat(follow_symlinks=False)
    return ours, time.process_time() - began


def vectors_for(db: Database, dim: int) -> int:
    """Vectors for every text, around some centres; their times are valid, their meaning is none."""
    draw = np.random.default_rng(1)
    space = db.write_now(spaces.ensure, "bench", dim)
    centres = draw.normal(size=(500, dim)).astype(np.float32)
    while rows := db.read_now(spaces.waiting, space, 2000):
        made = centres[draw.integers(0, 500, len(rows))] + draw.normal(size=(len(rows), dim)).astype(
            np.float32
        )
        db.write_now(
            spaces.put, space, [(one, [blob]) for (one, _), blob in zip(rows, to_blobs(made), strict=True)]
        )
    return space


def searched(db: Database, space: int | None, vocabulary: list[str]) -> list[float]:
    """Milliseconds of questions of one to ten words, frequent and rare."""
    draw, seam, took = random.Random(3), Vectors(), []
    rng = np.random.default_rng(2)
    for n in range(QUERIES + 1):
        start = draw.randrange(len(vocabulary) - 12)
        question = Question(" ".join(vocabulary[start : start + 1 + n % 10])[:4000])
        vector = None if space is None else (v := rng.normal(size=384).astype(np.float32)) / np.linalg.norm(v)
        began = time.perf_counter()
        db.read_now(search.search, question, seam, space, vector)
        took.append((time.perf_counter() - began) * 1000)
    return sorted(took[1:])


def measure(count: int) -> None:
    """Print the figures for so many turns."""
    data = list(lines(count))
    size = sum(map(len, data)) / 2**20
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        least = floor(data, folder)
        cpu, wall, db, intake = imported(data, folder)
        print(f"turns {count}, {size:.0f} MiB of lines")
        print(f"import CPU s: ours {cpu:.2f}, floor {least:.2f}, ratio {cpu / least:.2f}; wall {wall:.2f} s")
        ours, bare = rescanned(intake, folder / "projects")
        print(
            f"re-scan of {count // SESSION_TURNS} unchanged files: ratio to scandir + stat {ours / max(bare, 1e-9):.2f}"
        )
        text = searched(db, None, words())
        print(
            f"text search ms: p50 {text[len(text) // 2]:.1f}, p95 {text[int(len(text) * 0.95)]:.1f}, max {text[-1]:.1f}"
        )
        space = vectors_for(db, 384)
        both = searched(db, space, words())
        embedder = open_embedder("bundled")
        assert embedder
        embedder.embed_query("warm up")
        took = []
        for n in range(20):
            began = time.perf_counter()
            embedder.embed_query(f"why does the cache move when test {n} runs on the second machine")
            took.append((time.perf_counter() - began) * 1000)
        once = sorted(took)[10]
        p95 = both[int(len(both) * 0.95)]
        print(f"hybrid search ms, without the embedding: p50 {both[len(both) // 2]:.1f}, p95 {p95:.1f}")
        print(
            f"one question's embedding ms: {once:.1f}; hybrid p95 with it / embedding: {(p95 + once) / once:.2f}"
        )
        intake.stop(10)
        db.close()


def main() -> None:
    """Print the figures for as many turns as the command line says."""
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)


if __name__ == "__main__":
    main()
