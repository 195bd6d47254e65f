"""What a hook costs whoever waits for it, at 100,000 turns: ``python -m tests.bench.hooking [turns] [--store FOLDER]``.

A real memd with the bundled model over long turns of five projects (their vectors and signs of tokens mean nothing),
and ``memctl hook`` for one prompt after the other, each between two bare interpreters. Told are wall milliseconds above
the median of those, and memd's own CPU. ``--store`` keeps what was made, for the next run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from memd.db import token_signs
from memd.db.database import Database
from memd.providers.embedding.open import open_embedder
from memd.providers.embedding.quantise import to_blobs
from memd.turns import serving, spaces
from tests.bench import storing
from tests.bench.client import script
from tests.bench.process import cpu_s
from tests.process.conftest import Box, until

PROJECT = "/home/dev/p2"
PROMPTS = 150
TARGET_MS = 60.0
TOKENS = 20  # of a turn, whose signs are kept
SIGNS = 24  # bytes of each


def fill(folder: Path, turns: int) -> None:
    """A database of so many turns in a folder, with vectors and signs in the space of the bundled model."""
    _, _, db, intake = storing.imported(list(storing.lines(turns)), folder)
    intake.stop(10)
    embedder = open_embedder("bundled")
    assert embedder
    key, dim = embedder.space.key, embedder.space.dim
    db.write_now(lambda c: serving.settle(c, "bundled", key, dim, 0, asked=False))
    _mean(db, db.read_now(lambda c: int(c.execute("SELECT id FROM space").get)), dim)
    db.close()


def _mean(db: Database, space: int, dim: int) -> None:
    draw = np.random.default_rng(1)
    while (rows := db.read_now(spaces.waiting, space, 2000)) or db.read_now(spaces.unqueued, space):
        if not rows:
            db.write_now(spaces.table.queue_vectors)
            continue
        blobs = to_blobs(draw.normal(size=(len(rows), dim)).astype(np.float32))
        db.write_now(spaces.put, space, [(one, [blob]) for (one, _), blob in zip(rows, blobs, strict=True)])
        signs = [(one, [draw.bytes(SIGNS * TOKENS)]) for one, _ in rows]
        db.write_now(token_signs.put, space, signs)


def prompts(count: int) -> list[str]:
    """Prompts of a few words to a few lines, out of the words that the turns are made of."""
    draw, vocabulary = random.Random(11), storing.words()
    made = []
    for n in range(count):
        start = draw.randrange(len(vocabulary) - 60)
        made.append(f"why did we change {' '.join(vocabulary[start : start + 3 + n % 40])}")
    return made


def took(command: list[str], env: dict[str, str], said: str) -> tuple[float, str]:
    """Wall milliseconds of one process, and what it printed."""
    began = time.perf_counter()
    done = subprocess.run(command, env=env, input=said, capture_output=True, text=True, check=True)
    return (time.perf_counter() - began) * 1000, done.stdout


def measure(box: Box, event: str, told: list[dict[str, object]]) -> bool:
    """Print the figures of one event; whether they keep to the target."""
    assert box.process
    hook = [str(script(box.root)), "hook", event]
    env, bare, ours, printed = {**box.env, "MEMD_HOME": str(box.home)}, [], [], 0
    before = cpu_s(box.process.pid)
    for one in told:
        bare.append(took([sys.executable, "-c", "pass"], env, "")[0])
        ms, output = took(hook, env, json.dumps(one))
        ours.append(ms)
        printed += bool(output.strip())
    spent = (cpu_s(box.process.pid) - before) / len(told) * 1000
    above = sorted(ms - median(bare) for ms in ours)
    p50, p95 = above[len(above) // 2], above[int(len(above) * 0.95)]
    print(
        f"{event:<20} above python -c pass ({median(bare):.0f}) p50 {p50:.0f}, p95 {p95:.0f}, max {above[-1]:.0f} ms;"
        f" memd's CPU {spent:.0f} ms; {printed} of {len(told)} printed; load {os.getloadavg()[0]:.1f}"
    )
    return p95 <= TARGET_MS


def run(box: Box) -> int:
    """Start memd over what lies in the box, and measure; 1 where the target is missed."""
    box.env |= {"MEMD_EMBEDDER": "bundled", "MEMD_PROJECTS_DIR": str(box.home / "data" / "projects")}
    box.start()
    box.settle()  # the transcripts are copies, so each is read anew
    seed = time.time_ns()
    common = {"transcript_path": "/none", "cwd": PROJECT, "permission_mode": "default"}
    start = {**common, "hook_event_name": "SessionStart", "source": "startup"}
    box.ctl("hook", "session-start", said=json.dumps({**start, "session_id": f"{seed:x}"}))
    assert until(lambda: box.ask("status")["embedder"]["loaded"], 60)
    asked = [
        {**common, "session_id": f"{seed:x}", "hook_event_name": "UserPromptSubmit", "prompt": text}
        for text in prompts(PROMPTS + 5)
    ]
    for one in asked[:5]:
        box.ctl("hook", "user-prompt-submit", said=json.dumps(one))
    starts = [{**start, "session_id": f"{seed + n:x}"} for n in range(1, 41)]
    kept = [measure(box, "user-prompt-submit", asked[5:]), measure(box, "session-start", starts)]
    return int(not all(kept))


def main() -> int:
    """Make what is missing, and measure it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("turns", nargs="?", type=int, default=100_000)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    box = Box()
    try:
        kept = given.store or Path(tempfile.mkdtemp(dir=box.root))
        if not (kept / "memd.db").exists():
            kept.mkdir(parents=True, exist_ok=True)
            fill(kept, given.turns)
        shutil.copytree(kept, box.home / "data")
        return run(box)
    finally:
        box.kill()
        shutil.rmtree(box.root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
