"""The key of the README that searches memory for the command line, pressed in the shells themselves."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.memctl.conftest import ROOT
from tests.memctl.test_completion import shell

LINE = "why does port 8080 fail"
SHELLS = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_key_shows_what_memory_holds_and_keeps_the_line(name: str, tmp_path: Path) -> None:
    program = tmp_path / "memctl"
    program.write_text('#!/bin/sh\necho "<asked: $*>"\n')
    program.chmod(0o755)
    (tmp_path / "key").write_text(snippet(name))
    env = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "$ "}
    terminal, slave = pty.openpty()
    with subprocess.Popen(
        [shell(name), *SHELLS[name]],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as child:
        os.close(slave)
        try:
            os.write(terminal, f"source {tmp_path}/key; echo sour''ced\n".encode())
            read_until(terminal, lambda told: "sourced" in told)
            os.write(terminal, f"{LINE}\x18m".encode())
            read_until(terminal, lambda told: f"<asked: search -n 5 -- {LINE}>" in told)
            os.write(terminal, b"\x01echo kept: \n")  # in front of the line that was typed
            read_until(terminal, lambda told: f"\nkept: {LINE}" in told)
        finally:
            child.kill()
            os.close(terminal)


def snippet(name: str) -> str:
    """The block of the README for a shell."""
    found = re.findall(rf"^```{name}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    (block,) = [one for one in found if "_memd_line" in one]
    return str(block)


def read_until(terminal: int, true: Callable[[str], bool]) -> None:
    """Read what the terminal shows until it holds something, for at most 20 seconds."""
    told, end = "", time.monotonic() + 20
    while not true(told.replace("\r", "")):
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, told
        try:
            told += os.read(terminal, 1 << 16).decode(errors="replace")
        except OSError:
            pytest.fail(f"it ended: {told}")
