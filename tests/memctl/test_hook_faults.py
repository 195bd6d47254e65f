"""R14, B15: whatever memd, socket, streams and signals do, a hook ends with 0, in time, and says nothing wrong."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from memctl.hooks import hook as hooks
from tests.memctl.conftest import Hook, Start
from tests.memctl.events import CONTEXT, EVENTS
from tests.memctl.fake_daemon import Message, Script, answer, framed, running
from tests.memctl.test_exits import FAULTS

HOOK = [sys.executable, "-m", "memctl", "hook"]
LATEST = {"session-start": 3.0}  # seconds on a loaded machine; of every other event 1.5

WHOLE = framed({"v": 1, "id": 1, "ok": True, "result": {"output": CONTEXT}})
Listener = Callable[[socket.socket], None]


def ended(name: str, *, stdin: int | bytes | None = None, stdout: int | IO[bytes] = subprocess.PIPE) -> bytes:
    """What a hook prints, as a process of its own that ends in time, with 0 and without a word on standard error."""
    began = time.monotonic()
    with subprocess.Popen(
        [*HOOK, name],
        stdin=stdin if isinstance(stdin, int) else subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
    ) as child:
        said = json.dumps(EVENTS[name]).encode() if stdin is None else stdin
        out, err = child.communicate(None if isinstance(said, int) else said, timeout=20)
    took = time.monotonic() - began

    assert (child.returncode, err) == (0, b"")
    assert took <= LATEST.get(name, 1.5)
    return out or b""


@contextmanager
def listening(path: Path, talk: Listener | None, backlog: int = 8) -> Iterator[None]:
    """A listener that talks to each client in its own way, or lets nobody in."""
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind(str(path))
        plug.listen(backlog)

        def serve() -> None:
            with suppress(OSError):
                while talk:
                    client, _ = plug.accept()
                    threading.Thread(target=talk, args=(client,), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        plug.shutdown(socket.SHUT_RDWR)
        thread.join()


def drip(client: socket.socket) -> None:
    """Half an answer, a byte at a time, for as long as somebody listens."""
    with suppress(OSError), client:
        for byte in WHOLE[:-1]:
            client.sendall(bytes((byte,)))
            time.sleep(0.02)


def deaf(client: socket.socket) -> None:
    """Take what is asked, and say nothing until the other side hangs up."""
    with suppress(OSError), client:
        while client.recv(1 << 16):
            pass


def test_the_deadlines_leave_time_to_start_and_to_end() -> None:
    assert hooks.SECONDS <= 0.8
    assert hooks.START_SECONDS <= 1.8


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("script", [script for script, _, _ in FAULTS])
def test_whatever_memd_answers(
    script: Script, name: str, hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(script)

    assert hook(name) == 0
    assert capfd.readouterr() == ("", "")


def test_a_hundred_hooks_in_a_row_end_as_the_first_one_where_memd_dies_in_mid_answer(
    hook: Hook, daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    cuts = iter(range(100))

    def dying(request: Message) -> bytes:
        return WHOLE[: len(WHOLE) * next(cuts) // 100]

    fake = daemon(dying)

    codes = [hook("session-start" if at % 2 else "stop") for at in range(100)]

    assert codes == [0] * 100
    assert len(fake.requests) == 100
    assert capfd.readouterr() == ("", "")


def test_a_silent_memd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMD_SOCKET", str(tmp_path / "s"))
    with listening(tmp_path / "s", deaf), ThreadPoolExecutor() as pool:
        assert set(pool.map(ended, EVENTS)) == {b""}


@pytest.mark.parametrize(
    ("talk", "backlog", "waiting"),
    [(drip, 8, 0), (None, 8, 0), (None, 0, 1)],
    ids=["a byte at a time", "stopped", "stopped, with a full queue"],
)
def test_a_slow_memd(
    talk: Listener | None, backlog: int, waiting: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_SOCKET", str(tmp_path / "s"))
    with listening(tmp_path / "s", talk, backlog):
        queue = [socket.socket(socket.AF_UNIX) for _ in range(waiting)]
        for client in queue:
            client.connect(str(tmp_path / "s"))

        assert ended("user-prompt-submit") == b""

        for client in queue:
            client.close()


@pytest.mark.parametrize(
    "there", ["a file", "a folder", "a dangling link", "a dead socket", "a path too long"]
)
def test_what_is_no_memd(there: str, hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ("s" * 200 if there == "a path too long" else "s")
    if there == "a file":
        path.touch()
    elif there == "a folder":
        path.mkdir()
    elif there == "a dangling link":
        path.symlink_to("nowhere")
    elif there == "a dead socket":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
    monkeypatch.setenv("MEMD_SOCKET", str(path))
    before = sorted(tmp_path.iterdir())

    assert hook("user-prompt-submit") == 0
    assert sorted(tmp_path.iterdir()) == before


def test_the_memd_of_another_user_is_told_nothing(
    hook: Hook, daemon: Start, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": CONTEXT}))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    assert hook("session-start") == 0
    assert fake.requests == []
    assert capfd.readouterr() == ("", "")


def test_a_standard_input_that_never_ends(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))
    reader, writer = os.pipe()
    os.write(writer, json.dumps(EVENTS["stop"]).encode())

    assert ended("stop", stdin=reader) == b""

    os.close(reader)
    os.close(writer)


def test_a_standard_input_of_8_mib(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))

    assert ended("user-prompt-submit", stdin=b'{"prompt":"' + b"x" * (8 << 20) + b'"}') == b""


def test_a_terminal_as_standard_input(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))
    master, slave = pty.openpty()

    assert ended("stop", stdin=slave) == b""

    os.close(slave)
    os.close(master)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str, daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))
    line = f'exec "$0" "$@" {closed}'

    done = subprocess.run(
        ["sh", "-c", line, *HOOK, "stop"],
        input=json.dumps(EVENTS["stop"]).encode(),
        capture_output=True,
        timeout=20,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == (CONTEXT if closed == "2>&-" else "")


def test_a_standard_output_that_nobody_reads(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))
    reader, writer = os.pipe()
    os.close(reader)

    ended("stop", stdout=writer)

    os.close(writer)


def test_a_standard_output_that_is_full(daemon: Start) -> None:
    daemon(answer({"output": CONTEXT}))
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while os.write(writer, b"x" * 4096):
            pass
    os.set_blocking(writer, True)

    ended("stop", stdout=writer)

    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_memd_is_asked(number: signal.Signals) -> None:
    asked = threading.Event()

    def script(request: Message) -> None:
        asked.set()

    with (
        running(script) as fake,
        subprocess.Popen(
            [*HOOK, "session-start", "--socket", fake.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as child,
    ):
        assert child.stdin
        child.stdin.write(json.dumps(EVENTS["session-start"]).encode())
        child.stdin.close()
        child.stdin = None
        assert asked.wait(20)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)

    assert (child.returncode, out, err) == (0, b"", b"")
