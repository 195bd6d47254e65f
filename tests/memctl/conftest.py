from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from memctl.hooks import hook as hooks
from memctl.main import main
from tests.memctl.events import EVENTS
from tests.memctl.fake_daemon import FakeDaemon, Script, running

ROOT = Path(__file__).parents[2]
CODE = "import sys; from memctl.main import main; sys.exit(main())"

Start = Callable[[Script], FakeDaemon]
Hook = Callable[..., int]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def no_settings_of_the_real_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("MEMD_", "XDG_", "CLAUDE_")) or name in ("NO_COLOR", "TERM"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a fake daemon with a script; memctl finds it."""
    with ExitStack() as stack:

        def start(script: Script) -> FakeDaemon:
            fake = stack.enter_context(running(script))
            monkeypatch.setenv("MEMD_SOCKET", fake.path)
            return fake

        yield start


@pytest.fixture
def memctl() -> Run:
    """Run memctl as a process of its own."""

    def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", CODE, *words],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            cwd=cwd,
        )

    return run


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """Run a hook in this process, whose signals stay as they are, with bytes on its standard input."""
    monkeypatch.setattr(hooks, "_leave_after", lambda seconds, arguments: None)
    kept = os.dup(0)

    def run(name: str, said: bytes | None = None, *flags: str) -> int:
        with tempfile.TemporaryFile() as file:
            file.write(json.dumps(EVENTS[name]).encode() if said is None else said)
            file.seek(0)
            os.dup2(file.fileno(), 0)
            return main(["hook", name, *flags])

    yield run
    os.dup2(kept, 0)
    os.close(kept)
