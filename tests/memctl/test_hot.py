from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import msgpack
import pytest

from memctl import request
from memctl.main import main
from tests.memctl.conftest import CODE, Run, Start
from tests.memctl.fake_daemon import answer

# What memctl must not load for a search, however little it seems to cost.
HEAVY = (
    "re json argparse socket msgpack typing dataclasses pathlib asyncio logging enum functools collections contextlib"
    " struct subprocess importlib.util threading warnings textwrap difflib signal select selectors datetime inspect"
    " memd.errors memd.wire.frames memd.wire.messages memctl.client memctl.output memctl.help"
)
FORBIDDEN = (
    "asyncio typing_extensions click memd.db memd.server memd.config memd.daemon memd.turns numpy structlog apsw orjson"
    " onnxruntime fastembed tokenizers platformdirs watchfiles apscheduler sqlite3 subprocess"
)


def loaded_by(*words: str, said: str = "") -> set[str]:
    """The modules that a run of memctl has loaded, beyond those of the bare interpreter."""
    code = (
        "import sys; before = set(sys.modules); from memctl.main import main; code = main()\n"
        "assert code == 0, code; print('\\n' + ' '.join(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], input=said, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize("line", ["search a question", "search -n 3 --json q", "ping"])
def test_the_hot_path_loads_next_to_nothing(line: str, daemon: Start) -> None:
    daemon(answer({"output": "", "pong": True, "pid": 7, "version": "0.1.0"}))

    loaded = loaded_by(*line.split())

    assert not loaded & set(HEAVY.split())
    assert "_socket" in loaded
    assert len(loaded) <= 16


@pytest.mark.parametrize("word", ["status", "export", "jobs"])
def test_other_commands_load_nothing_of_the_daemon(word: str, daemon: Start) -> None:
    daemon(answer({"turns": [], "next": None, "jobs": []}))

    loaded = loaded_by(word)

    assert not {
        name
        for name in loaded
        for heavy in FORBIDDEN.split()
        if name == heavy or name.startswith(heavy + ".")
    }


def test_a_search_sends_what_was_given_and_nothing_else(
    daemon: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = daemon(answer({"output": ""}))
    monkeypatch.chdir(tmp_path)

    assert main(["search", "-n", "3", "--role", "user", "größer", "\x1b[m"]) == 0

    assert fake.requests == [
        {
            "v": 1,
            "id": 1,
            "method": "search",
            "params": {
                "query": "größer \x1b[m",
                "limit": 3,
                "role": "user",
                "render": "tsv",
                "cwd": str(tmp_path),
            },
        }
    ]


@pytest.mark.parametrize(
    "order", [["--json", "search", "x"], ["search", "--json", "x"], ["search", "x", "--json"]]
)
def test_global_flags_may_stand_anywhere(order: list[str], daemon: Start) -> None:
    fake = daemon(answer({"output": ""}))

    assert main(order) == 0
    assert (fake.params["query"], fake.params["render"]) == ("x", "json")


def test_the_socket_of_a_flag_wins(daemon: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    path = daemon(answer({"output": ""})).path
    monkeypatch.setenv("MEMD_SOCKET", "/nowhere")

    assert main(["--socket", path, "search", "x"]) == 0


def test_the_output_is_written_as_it_came(daemon: Start, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = "größer\n" * 100_000  # more than a pipe takes at once
    daemon(answer({"output": text, "a_field": [1.5, None, -1, {"of": "later"}]}))

    assert main(["search", "x"]) == 0
    assert capfdbinary.readouterr().out == text.encode()


def test_in_a_pipe_what_is_said_beside_the_hits_stands_on_standard_error(
    daemon: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = daemon(answer({"output": "01b7\tturn\n", "remark": "in all projects\n"}))

    assert main(["search", "x"]) == 0
    assert capfd.readouterr() == ("01b7\tturn\n", "in all projects\n")
    assert fake.params["render"] == "tsv"


def test_a_folder_that_is_gone_is_not_sent(daemon: Start, memctl: Run, tmp_path: Path) -> None:
    fake = daemon(answer({"output": "found\n"}))
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); {CODE}"

    done = subprocess.run(
        [sys.executable, "-c", code, "search", "x"], capture_output=True, text=True, check=True
    )

    assert done.stdout == "found\n"
    assert "cwd" not in fake.params


def test_an_argument_that_is_no_text_is_sent_as_one(daemon: Start) -> None:
    fake = daemon(answer({"output": ""}))

    subprocess.run([sys.executable.encode(), b"-c", CODE.encode(), b"search", b"caf\xe9"], check=True)

    assert fake.params["query"] == "caf?"


@pytest.mark.parametrize(
    ("env", "words", "render"),
    [
        ({"TERM": "xterm"}, (), "color"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, (), "text"),
        ({"TERM": "xterm", "NO_COLOR": ""}, (), "color"),  # empty counts as not set
        ({"TERM": "dumb"}, (), "text"),
        ({"TERM": "xterm"}, ("--no-color",), "text"),
        ({"TERM": "xterm"}, ("--json",), "json"),
    ],
)
def test_colour_and_width_are_for_a_terminal(
    env: dict[str, str], words: tuple[str, ...], render: str, daemon: Start
) -> None:
    fake = daemon(answer({"output": "x"}))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 132, 0, 0))

    subprocess.run(
        [sys.executable, "-c", CODE, "search", "x", *words],
        stdout=slave,
        env={**os.environ, **env},
        check=True,
    )

    os.close(slave)
    os.close(master)
    assert fake.params["render"] == render
    assert fake.params.get("width") == (None if render == "json" else 132)


def test_ping_says_who_answers(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"pong": True, "pid": 4242, "version": "0.1.0"}))

    assert main(["ping"]) == 0

    assert capfd.readouterr().out.startswith("memd 0.1.0 answers (pid 4242, ")


def test_ping_speaks_json(daemon: Start, capfd: pytest.CaptureFixture[str]) -> None:
    daemon(answer({"pong": True, "pid": 4242, "version": "0.1.0"}))

    assert main(["ping", "--json"]) == 0

    told = json.loads(capfd.readouterr().out)
    assert told.pop("ms") > 0
    assert told == {"pong": True, "pid": 4242, "version": "0.1.0"}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"text": "", "flag": True, "figures": {"a": 0, "b": 127, "c": 128, "d": 2**32 - 1}},
        {"s" * size: "ü" * size for size in (31, 32, 255, 256, 70_000)},
        {str(at): at for at in range(20)},
    ],
)
def test_what_is_packed_by_hand_is_msgpack(value: dict[str, object]) -> None:
    assert msgpack.unpackb(request.pack(value)) == value


@pytest.mark.parametrize(
    "value",
    [0, 127, 128, 255, 256, 2**32 - 1, True, False, None, "", "ü" * 40_000, {"a": {"b": {"c": "x" * 300}}}],
)
def test_what_is_unpacked_by_hand_is_what_was_packed(value: object) -> None:
    data = msgpack.packb(value)

    assert request.unpack(data, 0) == (value, len(data))


@pytest.mark.parametrize("value", [1.5, -1, [], b"x", 2**40])
def test_what_is_rare_is_left_to_msgpack(value: object) -> None:
    with pytest.raises(ValueError):
        request.unpack(msgpack.packb(value), 0)


@pytest.mark.parametrize("data", [b"", b"\xa5abc", b"\xd9", b"\x81\xa1a", b"\xda\x00"])
def test_what_is_cut_off_is_no_value(data: bytes) -> None:
    with pytest.raises(IndexError):
        request.unpack(data, 0)
