"""The log is one harmless line an event, and never in the way."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from memd.daemon.log_sinks import FileSink, StreamSink
from memd.daemon.logs import LogOptions, RateLimit, configure, is_journal


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging is the process's own; put it back."""
    handlers, level = list(logging.root.handlers), logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    logging.raiseExceptions = True


class Pipe:
    """A stderr of which the other end can be read, or not."""

    def __init__(self) -> None:
        self.out, self.into = os.pipe()

    def lines(self) -> list[str]:
        os.set_blocking(self.out, False)
        try:
            return os.read(self.out, 1 << 20).decode().splitlines()
        except BlockingIOError:
            return []

    def close(self) -> None:
        os.close(self.out)
        os.close(self.into)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


def test_a_line_of_json_has_time_level_event_and_values(pipe: Pipe) -> None:
    configure(LogOptions(format="json"), {}, fd=pipe.into)

    structlog.get_logger().warning(
        "scan_done", files=3, seconds=0.5, roots=("a", "b"), path=Path("/x"), none=None
    )

    (line,) = map(json.loads, pipe.lines())
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "level": "warning", "event": "scan_done", "files": 3, "seconds": 0.5, "roots": ["a", "b"], "path": "/x",
        "none": None,
    }  # fmt: skip


def test_a_line_for_people_reads_from_left_to_right(pipe: Pipe) -> None:
    configure(LogOptions(), {}, fd=pipe.into)

    structlog.get_logger().info("scan_done", files=3, why="no room")

    (line,) = pipe.lines()
    assert line.split(" ", 1)[1] == 'info scan_done files=3 why="no room"'


def test_events_below_the_level_are_left_out(pipe: Pipe) -> None:
    configure(LogOptions(level="warning"), {}, fd=pipe.into)

    structlog.get_logger().info("small")
    structlog.get_logger().error("large")

    assert [line.split()[2] for line in pipe.lines()] == ["large"]


@pytest.mark.parametrize("format", ["console", "json"])
def test_nothing_in_a_line_can_act_on_a_terminal(pipe: Pipe, format: str) -> None:
    configure(LogOptions(format=format), {}, fd=pipe.into)  # type: ignore[arg-type] # one of the two
    wild = "\x1b[2J\r\n\x07\x7f\x9b31m\u202e\u2066\u2028\U000e0041\ud800\0"

    structlog.get_logger().info("odd", **{"file": wild, "list": [wild], "map": {wild: wild}, wild: 1})

    (line,) = pipe.lines()
    assert line.isprintable()
    assert "x1b" in line


def test_an_error_is_told_by_type_and_place_without_its_text(pipe: Pipe) -> None:
    configure(LogOptions(), {}, fd=pipe.into)

    try:
        raise ValueError("sesame")
    except ValueError:
        structlog.get_logger().exception("failed")

    (line,) = pipe.lines()
    assert "error=ValueError" in line
    assert "place=test_logs.py:" in line
    assert "sesame" not in line and "Traceback" not in line


def test_a_library_is_quoted_without_values_or_traceback(pipe: Pipe) -> None:
    configure(LogOptions(), {}, fd=pipe.into)

    try:
        raise KeyError("sesame")
    except KeyError:
        logging.getLogger("asyncio").exception("Task %s failed\nmore", "sesame")
    logging.getLogger("httpx").info("GET sesame")
    logging.getLogger("odd").warning("%d", "not a number")

    first, second = pipe.lines()
    assert 'error library logger=asyncio message="Task %s failed" error=KeyError' in first
    assert "logger=odd" in second
    assert "sesame" not in first + second


def test_a_limited_event_comes_once_a_minute_with_the_count_of_the_others() -> None:
    now = [0.0]
    limit = RateLimit(lambda: now[0])

    def passes(event: str, limited: bool = True) -> dict[str, object] | None:
        try:
            return dict(limit(None, "info", {"event": event, "limited": limited}))
        except structlog.DropEvent:
            return None

    assert passes("full") == {"event": "full"}
    assert passes("full") is None
    assert passes("other") == {"event": "other"}
    assert passes("full", limited=False) == {"event": "full"}
    now[0] = 59.9
    assert passes("full") is None
    now[0] = 60.1
    assert passes("full") == {"event": "full", "suppressed": 2}
    assert passes("full") is None
    now[0] = 200.0
    assert passes("full") == {"event": "full", "suppressed": 1}
    now[0] = 300.0
    assert passes("full") == {"event": "full"}


def test_journald_reads_a_priority_at_the_start_of_each_line(pipe: Pipe) -> None:
    found = os.fstat(pipe.into)
    env = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
    configure(LogOptions(level="debug"), env, fd=pipe.into)
    log = structlog.get_logger()

    for level in ("debug", "info", "warning", "error", "critical"):
        getattr(log, level)("event")

    assert [line[:3] for line in pipe.lines()] == ["<7>", "<6>", "<4>", "<3>", "<2>"]


def test_a_stderr_led_elsewhere_has_no_priorities(pipe: Pipe) -> None:
    assert not is_journal(pipe.into, {"JOURNAL_STREAM": "1:2"})
    assert not is_journal(pipe.into, {})
    assert not is_journal(-1, {"JOURNAL_STREAM": "1:2"})


def test_a_full_pipe_makes_nobody_wait(pipe: Pipe) -> None:
    configure(LogOptions(), {}, fd=pipe.into)

    for number in range(3000):
        structlog.get_logger().info("much", number=number, text="x" * 300)

    lines = pipe.lines()
    assert 10 < len(lines) < 3000
    assert all(line.endswith("x") for line in lines)


def test_a_closed_or_full_stderr_is_no_trouble() -> None:
    out, into = os.pipe()
    os.close(out)
    StreamSink(into).write(b"nobody reads\n")
    os.close(into)
    StreamSink(into).write(b"closed\n")
    StreamSink(-1).write(b"none\n")
    if os.path.exists("/dev/full"):
        full = os.open("/dev/full", os.O_WRONLY)
        StreamSink(full).write(b"full\n")
        os.close(full)


def test_a_very_long_line_is_cut(pipe: Pipe) -> None:
    StreamSink(pipe.into).write(b"x" * 10_000 + b"\n")

    assert [len(line) for line in pipe.lines()] == [4000]


def test_log_files_take_turns_and_are_for_the_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        sink = FileSink(tmp_path / "memd.log", most_bytes=100, files=3)
        for number in range(50):
            sink.write(f"line {number:02d}..\n".encode())
        sink.close()
    finally:
        os.umask(before)

    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == ["memd.log", "memd.log.1", "memd.log.2"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert all(path.stat().st_size <= 100 for path in files)
    text = "".join(path.read_text() for path in reversed(files))
    assert text.endswith("line 48..\nline 49..\n")
    assert text.count("\n") == len(set(text.split("\n"))) - 1 >= 25


def test_a_log_file_is_carried_on_after_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        configure(LogOptions(file=tmp_path / "memd.log"), {})
        structlog.get_logger().info("started")

    assert (tmp_path / "memd.log").read_text().count("started") == 2


def test_a_log_folder_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "logs" / "memd.log")
    sink.write(b"lost\n")
    (tmp_path / "logs").mkdir()
    sink.write(b"kept\n")
    sink.close()

    assert (tmp_path / "logs" / "memd.log").read_text() == "kept\n"
