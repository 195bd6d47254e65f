"""Every way in which memd can fail to answer, and what memctl ends with. Each is one line, and no traceback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memctl import connection, main
from tests.memctl.conftest import CODE, Run, Start
from tests.memctl.fake_daemon import Message, Script, answer, error, framed, silent

COMMANDS = [("search", "x"), ("ping",), ("status",)]


def raw(data: bytes) -> Script:
    return lambda request: data


def later(request: Message) -> Message:
    return {"v": 99, "id": request["id"], "ok": False, "error": {"code": "bad_version", "message": "99"}}


FAULTS = [
    # what memd does, the exit code, what the line says
    (error("busy"), 75, "told so"),
    (error("timeout"), 75, "told so"),
    (error("forbidden"), 77, "told so"),
    (error("bad_version"), 76, "different versions"),
    (error("bad_frame"), 76, "different versions"),
    (error("unknown_method"), 76, "different versions"),
    (error("bad_request"), 1, "told so"),
    (error("too_large"), 1, "told so"),
    (error("not_found"), 1, "told so"),
    (error("degraded"), 1, "told so"),
    (error("internal"), 1, "told so"),
    (error("of_a_later_version"), 1, "told so"),
    (error("not_found", "no \x1b[2J\nhere\u202e"), 1, "no \\x1b[2J here<U+202E>"),
    (later, 76, "version 99"),
    (raw(framed({"v": 1, "id": None, "ok": False, "error": {"code": "busy", "message": "256"}})), 75, "256"),
    (raw(b""), 69, "hung up"),
    (raw(b"\x00\x00\x00\x09half"), 69, "hung up"),
    (raw(b"HTTP/1.1 400 no\r\n\r\n"), 76, "is not memd"),
    (raw(b"\xff\xff\xff\xff" + b"x" * 99), 76, "frame of 4294967295 bytes"),
    (raw(b"\x00\x00\x00\x00"), 76, "frame of 0 bytes"),
    (raw(b"\x00\x00\x00\x01\xc1"), 76, "is not memd"),
    (raw(b"\x00\x00\x00\x03abc"), 76, "is not memd"),
    (raw(b"\x00\x00\x00\x04\x81\xa1\xff\xc0"), 76, "is not memd"),  # a key that is no UTF-8
    (raw(b"\x00\x01\x00\x00" + b"\x91" * 65536), 76, "is not memd"),  # as deep as it is long
    (raw(b"\x00\x01\x00\x00" + b"\x81\x01" * 32768), 76, "is not memd"),
    (raw(framed({"v": 1, "id": 7, "ok": True, "result": {}})), 76, "something else"),
    (raw(framed({"v": 1, "id": 1, "ok": True})), 76, "neither"),
    (raw(framed({"v": 1, "id": 1, "ok": True, "result": []})), 76, "neither"),
    (raw(framed({"v": 1, "id": 1, "ok": False, "error": "no"})), 76, "neither"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize(("script", "code", "says"), FAULTS)
def test_what_memd_may_answer(
    script: Script,
    code: int,
    says: str,
    words: tuple[str, ...],
    daemon: Start,
    capfd: pytest.CaptureFixture[str],
) -> None:
    daemon(script)

    assert main.main(words) == code

    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("memctl: ") and said.err.count("\n") == 1
    assert says in said.err


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_silence_is_75_when_the_time_is_over(words: tuple[str, ...], daemon: Start, memctl: Run) -> None:
    daemon(silent)

    done = memctl("--timeout", "0.2", *words)

    assert done.returncode == 75
    assert "did not answer within 0.2 s" in done.stderr


def test_an_answer_is_awaited_8_seconds_and_a_connection_half_of_one() -> None:
    assert (connection.ANSWER_SECONDS, connection.CONNECT_SECONDS) == (8.0, 0.5)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("there", ["nothing", "a file", "a dead socket", "no folder"])
def test_no_daemon_is_69(there: str, words: tuple[str, ...], tmp_path: Path, memctl: Run) -> None:
    path = tmp_path / "s"
    if there == "a file":
        path.touch()
    elif there == "a dead socket":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
    elif there == "no folder":
        path = tmp_path / "missing" / "s"

    done = memctl(*words, "--socket", str(path))

    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.startswith(f"memctl: no memd at {path} (")
    assert "memctl service start" in done.stderr and "memd run" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("pid", "line", "told"),
    [
        (4711, "it ended by itself: the database is \x1b[2Jdamaged (page 7)", True),
        (os.getpid(), "it is salvaging what can be read of a damaged database", True),
        (1 << 22, "it is starting", False),  # it was killed then: no such process
        (4711, "", False),
    ],
    ids=["ended", "starting", "killed", "silent"],
)
def test_who_finds_no_memd_is_told_how_it_ended_or_how_far_its_start_is(
    memctl: Run, tmp_path: Path, pid: int, line: str, told: bool
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "memd.lock").write_text(f"{pid}\n{line}\n")

    done = memctl("status", "--home", str(tmp_path))

    assert (done.returncode, done.stdout) == (69, "")
    said = line.replace("\x1b", "\\x1b")
    ending = f": {said}\n" if told else "in a terminal\n"
    assert done.stderr.startswith(f"memctl: no memd at {tmp_path / 'run' / 'memd.sock'}")
    assert done.stderr.endswith(ending)


def test_a_path_too_long_for_a_socket_is_69(tmp_path: Path, memctl: Run) -> None:
    done = memctl("ping", "--home", str(tmp_path / ("deep/" * 40)))

    assert (done.returncode, done.stderr.count("\n")) == (69, 1)
    assert "too long" in done.stderr


def test_a_full_queue_is_75(memctl: Run, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(tmp_path / "s"))
        listener.listen(0)
        first.connect(str(tmp_path / "s"))

        done = memctl("ping", "--socket", str(tmp_path / "s"))

    assert done.returncode == 75
    assert "busy or stopped" in done.stderr


def test_nothing_is_sent_to_another_users_daemon(
    daemon: Start, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": "never"}))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    codes = {main.main(words) for words in COMMANDS}

    assert codes == {77}
    assert "nothing was sent" in capfd.readouterr().err
    assert fake.requests == []


@pytest.mark.skipif(os.getuid() == 0, reason="root may connect anywhere")
def test_a_socket_that_may_not_be_connected_to_is_77(daemon: Start, memctl: Run) -> None:
    os.chmod(daemon(silent).path, 0)

    assert memctl("ping").returncode == 77


def test_ctrl_c_is_130_without_a_word(daemon: Start) -> None:
    asked = threading.Event()

    def script(request: Message) -> None:
        asked.set()

    daemon(script)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, "search", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert asked.wait(20)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)

    assert (child.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("words", [("search", "x"), ("status",), ("--help",), ("completion", "bash")])
def test_a_closed_pipe_ends_quietly(words: tuple[str, ...], daemon: Start) -> None:
    daemon(answer({"output": "much"}))
    reader, writer = os.pipe()
    os.close(reader)

    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has it")
def test_a_full_disk_is_one_line(daemon: Start) -> None:
    daemon(answer({"output": "much"}))
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", CODE, "search", "x"], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert (done.returncode, done.stderr) == (1, b"memctl: No space left on device\n")


def test_a_bug_is_one_line_that_says_where(
    daemon: Start, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    daemon(answer({"output": "x"}))
    monkeypatch.setattr("memctl.terminal.write", lambda text: [][1])

    code = main.main(["search", "x"])

    assert code == 1
    assert capfd.readouterr().err.startswith(
        "memctl: a bug in memctl, please report it: IndexError at test_exits.py:"
    )
