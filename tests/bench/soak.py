"""A long life of one memd, with writers, askers and kills: ``python -m tests.bench.soak --minutes 60``.

The first sixth of the time is many short lives, each ended by SIGKILL or SIGTERM. The rest is one life, whose memory
and descriptors must not grow once it is warm. In the end every line that was written stands in the export, once.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median

from memctl.client import Client
from memctl.exits import Failure
from tests.bench.process import cpu_s, descriptors, memory_mb
from tests.process.conftest import Box

# Together more than SQLite keeps in memory: its caches are full before the long life is measured.
OLD_TURNS = 8_000
WARMING_TURNS, WARMING_CALLS = 6_000, 2_000
FILES = 20
LINES_A_SECOND = 2.0
CALLS_A_SECOND = 5.0
SAMPLE_SECONDS = 5.0
LIFE_SECONDS = (0.5, 20.0)
SHORT_LIVES = 1 / 6  # of the time
GROWTH = 0.10
LOG_BYTES = 1 << 20
WORDS = ["cache", "index", "release", "branch", "schema", "proxy", "metrics", "rollback", "harbour"]


class Writer:
    """Appends to transcripts, in halves now and then; moves and replaces them; knows every line it ended."""

    def __init__(self, box: Box, draw: random.Random) -> None:
        self._box, self._draw = box, draw
        self._slugs = ["-home-dev-app", "-home-dev-two"]
        self._turn = threading.Lock()
        self.texts: list[str] = []

    def write(self) -> None:
        """One line more, and now and then the same lines in another file or place."""
        with self._turn:
            chance = self._draw.random()
            path = self._append(halves=chance < 0.2)
            if chance > 0.98:
                self._replace(path)
            elif chance > 0.96:
                self._move(path)

    def _append(self, *, halves: bool) -> Path:
        number = len(self.texts)
        text = f"turn{number} " + " ".join(self._draw.choices(WORDS, k=self._draw.randint(5, 80)))
        slug = self._slugs[number % FILES % 2]
        path = self._box.write(text, number % FILES, slug=slug, halves=halves)
        self.texts.append(text)
        return path

    def _replace(self, path: Path) -> None:
        twin = path.with_suffix(".tmp")
        shutil.copyfile(path, twin)
        twin.replace(path)

    def _move(self, path: Path) -> None:
        other = self._box.projects / f"-home-dev-moved-{len(self.texts)}"
        other.mkdir()
        path.replace(other / path.name)


class Asker:
    """Asks what people ask, sends nonsense now and then; counts answers, refusals and silence."""

    def __init__(self, box: Box, writer: Writer, draw: random.Random) -> None:
        self._path = str(box.home / "run" / "memd.sock")
        self._writer, self._draw = writer, draw
        self.answers = self.failures = 0

    def ask(self) -> None:
        """One call, or garbage, over a connection of its own."""
        if self._draw.random() < 0.02:
            self._talk_nonsense()
            return
        try:
            client = Client(self._path)
        except Failure:
            return  # between two lives
        try:
            client.call(*self._question())
            self.answers += 1
        except Failure:
            self.failures += 1
        finally:
            client.close()

    def _question(self) -> tuple[str, dict[str, object]]:
        text = self._draw.choice(self._writer.texts)
        return self._draw.choice(
            [
                ("search", {"query": " ".join(text.split()[1:4]), "limit": 5}),
                ("search", {"query": text.split()[0], "limit": 1}),
                ("search", {"query": self._draw.choice(WORDS), "mode": "vector"}),
                ("status", {}),
                ("ping", {}),
            ]
        )

    def _talk_nonsense(self) -> None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as plug:
            plug.settimeout(1)
            plug.connect(self._path)
            plug.sendall(self._draw.randbytes(self._draw.randint(1, 200)))


class Soak:
    """One run."""

    def __init__(self, minutes: float, embedder: str, seed: int) -> None:
        self._draw = random.Random(seed)
        self.box = Box()
        self.box.env["MEMD_EMBEDDER"] = embedder
        self._writer = Writer(self.box, random.Random(seed + 1))
        self._asker = Asker(self.box, self._writer, random.Random(seed + 2))
        self._over = threading.Event()
        self._short, self._long = 60 * minutes * SHORT_LIVES, 60 * minutes * (1 - SHORT_LIVES)

    def run(self) -> bool:
        """Whether all holds; prints each figure with its target."""
        for _ in range(OLD_TURNS):
            self._writer.write()
        workers = [
            threading.Thread(target=self._repeat, args=work)
            for work in ((self._writer.write, LINES_A_SECOND), (self._asker.ask, CALLS_A_SECOND))
        ]
        for worker in workers:
            worker.start()
        try:
            lives = self._live_shortly()
            self.box.start()
            memory, held = self._live_long()
        finally:
            self._over.set()
            for worker in workers:
                worker.join()
        return self._judge(lives, memory, held)

    def _repeat(self, work: object, a_second: float) -> None:
        assert callable(work)
        while not self._over.wait(1 / a_second):
            work()

    def _live_shortly(self) -> int:
        end, lives = time.monotonic() + self._short, 0
        while time.monotonic() < end:
            self.box.start()
            self._over.wait(self._draw.uniform(*LIFE_SECONDS))
            if self._draw.random() < 0.25:
                assert self.box.stop() == 0, self.box.log()
            else:
                self.box.kill()
            lives += 1
        return lives

    def _warm_up(self) -> None:
        """Let it do all that it will ever do: what it needs once, it keeps."""
        for _ in range(WARMING_TURNS):
            self._writer.write()
        self.box.settle("--embedded")
        for _ in range(WARMING_CALLS):
            self._asker.ask()
        self.box.ask("backup", str(self.box.root / "copy.db"))
        self.box.ask("verify")

    def _live_long(self) -> tuple[list[float], list[float]]:
        """Memory and descriptors, sample by sample, once it is warm."""
        self._warm_up()
        assert self.box.process
        pid = self.box.process.pid
        memory: list[float] = []
        held: list[float] = []
        began = time.monotonic()
        while time.monotonic() < began + self._long:
            self._over.wait(SAMPLE_SECONDS)
            assert self.box.process.poll() is None, self.box.log()
            memory.append(memory_mb(pid))
            held.append(descriptors(pid))
            self._tell(time.monotonic() - began, pid, len(memory))
        return memory, held

    def _tell(self, age: float, pid: int, samples: int) -> None:
        if samples % 12 == 1:
            print(
                f"{age / 60:5.1f} min  RSS {memory_mb(pid):6.1f} MB  descriptors {descriptors(pid):3d}"
                f"  CPU {cpu_s(pid):7.1f} s  log {self._log_bytes() / 1024:6.1f} KiB  turns {len(self._writer.texts)}"
                f"  answers {self._asker.answers}  failures {self._asker.failures}",
                flush=True,
            )

    def _log_bytes(self) -> int:
        logs = self.box.home / "logs"
        return sum(p.stat().st_size for p in [self.box.root / "log", *logs.rglob("*")] if p.is_file())

    def _judge(self, lives: int, memory: list[float], held: list[float]) -> bool:
        self.box.settle()
        texts = Counter(turn["text"] for turn in self.box.export())
        written = Counter(self._writer.texts)
        rows = [
            ("lives before, each start answered", lives, True),
            ("turns lost", (written - texts).total(), not written - texts),
            ("turns doubled or of nobody", (texts - written).total(), not texts - written),
            ("verify", "sound", self.box.ask("verify")["ok"] is True),
            ("failures of calls in the long life and around kills", self._asker.failures, True),
            ("RSS MB, first and last tenth", *_flat(memory, GROWTH)),
            ("descriptors, first and last tenth", *_flat(held, 0.0, slack=2)),
            ("log bytes", self._log_bytes(), self._log_bytes() < LOG_BYTES),
            ("exit of SIGTERM", code := self.box.stop(), code == 0),
        ]
        for name, value, holds in rows:
            print(f"{'ok  ' if holds else 'FAIL'} {name}: {value}")
        return all(holds for _, _, holds in rows)


def _flat(samples: list[float], growth: float, slack: float = 0.0) -> tuple[str, bool]:
    """The medians of the first and last tenth, and whether the last is not higher than allowed."""
    tenth = max(1, len(samples) // 10)
    first, last = median(samples[:tenth]), median(samples[-tenth:])
    return f"{first:.1f} → {last:.1f}", last <= first * (1 + growth) + slack


def main() -> int:
    """Run as the command line says; 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--embedder", default="hash")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    soak = Soak(asked.minutes, asked.embedder, asked.seed)
    try:
        return 0 if soak.run() else 1
    finally:
        soak.box.kill()
        shutil.rmtree(soak.box.root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
