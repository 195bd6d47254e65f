"""memd started by the calls that find nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.conftest import Box, until


@pytest.fixture
def memctl(box: Box) -> Iterator[Path]:
    """A memctl with a memd beside it that counts its starts; whichever runs in the end is ended."""
    folder = box.root / "bin"
    folder.mkdir()
    (folder / "memctl").write_text(f"#!{sys.executable}\nfrom memctl.main import run\nrun()\n")
    (folder / "memd").write_text(
        f'#!/bin/sh\necho started >> {box.root}/starts\nexec {sys.executable} -m memd "$@"\n'
    )
    for path in folder.iterdir():
        path.chmod(0o755)
    yield folder / "memctl"
    (box.home / "config.toml").unlink(missing_ok=True)  # or the looks below would start another one
    answer = box.ctl("ping", "--json")
    if answer.returncode == 0:
        os.kill(json.loads(answer.stdout)["pid"], signal.SIGTERM)
        assert until(lambda: box.ctl("ping").returncode == 69)


def test_after_a_kill_calls_end_with_69_and_with_autostart_all_of_them_reach_one_new_memd(
    box: Box, memctl: Path
) -> None:
    """Field case B12, with autostart off and on."""
    box.write("words from before the kill")
    box.start()
    box.settle()
    box.kill()

    began = time.monotonic()
    assert box.ctl("ping").returncode == 69
    assert time.monotonic() - began < 5  # an interpreter on a busy machine, and half a second
    (box.home / "config.toml").write_text("[client]\nautostart = true\n")
    calls = [
        subprocess.Popen(
            [str(memctl), *words, "--json"],
            env=box.env,
            cwd=box.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for words in (["ping"], ["ping"], ["search", "words"])
    ]
    said = [call.communicate(timeout=60) for call in calls]

    assert [call.returncode for call in calls] == [0, 0, 0], said
    first, second, found = (json.loads(out) for out, _ in said)
    assert first["pid"] == second["pid"]
    assert [hit["text"] for hit in found["results"]] == ["words from before the kill"]
    assert (box.root / "starts").read_text() == "started\n"
    assert os.getsid(first["pid"]) == first["pid"]
