"""Started by its supervisor, over a socket that is there before memd is."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.process.conftest import Box, until

ACTIVATE = "systemd-socket-activate"


@pytest.mark.skipif(not shutil.which(ACTIVATE), reason=f"needs {ACTIVATE}")
def test_the_first_question_starts_it_and_the_socket_stays_when_it_ends(box: Box) -> None:
    box.write("the quokka sleeps")
    path = box.home / "run" / "memd.sock"
    path.parent.mkdir(parents=True, mode=0o700)
    passed = [part for name in box.env for part in ("--setenv", name)]
    box.inside = [ACTIVATE, "--listen", str(path), *passed]
    process = box.spawn()
    box.inside = []
    assert until(path.exists), box.log()
    path.chmod(0o600)  # the unit has SocketMode= for it
    assert not (box.home / "data").exists()  # nobody has asked yet

    assert box.ask("ping")["pid"] == process.pid
    box.settle()

    assert box.found("quokka") == ["the quokka sleeps"]
    assert box.diagnose()[1]["folders"]["state"] == "ok"
    before = os.stat(path).st_ino
    assert box.stop() == 0
    assert os.stat(path).st_ino == before
