"""A memd of its own for each test: a real process, a home in a short temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Box:
    """Starts, asks and ends one daemon."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="memd-"))
        self.home = self.root / "h"
        self.projects = self.root / "projects"
        self.projects.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        self.inside: list[str] = []  # a command that runs memd, and memctl, inside something
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "user"),
            "PYTHONPATH": str(ROOT),
            "MEMD_HOME": str(self.home),
            "MEMD_PROJECTS_DIR": str(self.projects),
            "MEMD_EMBEDDER": "hash",
            "MEMD_LOG_FORMAT": "json",
        }

    def spawn(self) -> subprocess.Popen[bytes]:
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.inside, sys.executable, "-m", "memd", "run"],
                env=self.env,
                stdout=log,
                stderr=log,
                cwd=self.root,
            )
        return self.process

    def start(self) -> None:
        process = self.spawn()
        end = time.monotonic() + 30
        while self.ctl("ping").returncode:
            assert process.poll() is None, self.log()
            assert time.monotonic() < end, self.log()

    def ctl(
        self, *arguments: str, cwd: Path | None = None, said: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.inside, sys.executable, "-m", "memctl", *arguments],
            env=self.env,
            cwd=cwd or self.root,
            input=said,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def ask(self, *arguments: str) -> Any:
        done = self.ctl(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def diagnose(self) -> tuple[int, dict[str, dict[str, str]]]:
        """The exit code of doctor, and its checks by name."""
        done = self.ctl("doctor", "--json")
        return done.returncode, {check["name"]: check for check in json.loads(done.stdout)["checks"]}

    def settle(self, *more: str) -> None:
        done = self.ctl("sync", "--wait", "--timeout", "50", *more)
        assert done.returncode == 0, done.stderr

    def export(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.ctl("export", "--jsonl").stdout.splitlines()]

    def found(self, query: str) -> list[str]:
        return [hit["text"] for hit in self.ask("search", query)["results"]]

    def stop(self) -> int:
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(15)

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait(15)

    def log(self) -> str:
        return (self.root / "log").read_text(errors="replace")

    def write(
        self,
        text: str,
        number: int = 0,
        *,
        slug: str = "-home-dev-app",
        role: str = "user",
        halves: bool = False,
    ) -> Path:
        """Append a line to a transcript, all at once or in two writes."""
        path = self.projects / slug / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
        path.parent.mkdir(exist_ok=True)
        record = {
            "type": role,
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{slug}/{number}/{text}")),
            "sessionId": path.stem,
            "cwd": "/home/dev/app",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": role, "content": text},
        }
        line = json.dumps(record).encode() + b"\n"
        cut = len(line) // 2 if halves else len(line)
        with path.open("ab", buffering=0) as file:
            for part in (line[:cut], line[cut:]):
                file.write(part)
        return path


@pytest.fixture
def box() -> Iterator[Box]:
    one = Box()
    yield one
    one.kill()
    shutil.rmtree(one.root, ignore_errors=True)


def until(true: Any, seconds: float = 15.0) -> bool:
    """Whether it comes true in time, looked at again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
    return False
