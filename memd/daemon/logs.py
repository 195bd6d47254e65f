"""The log: one line an event, to stderr or a file, for people, journald or machines.

The rule: a line holds names, ids, counts and timings, and no control character; an error is told by its type and
place, for its text may quote what a user said. Logging never raises and never waits.

An event logged with ``limited=True`` appears at most once a minute, with the number of those left out.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import structlog

from memd.daemon.log_sinks import FileSink, StreamSink
from memd.server.dispatch import place_of

Event = MutableMapping[str, object]

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_PRIORITY = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}  # syslog(3)
_LIMIT_SECONDS = 60.0
_LONGEST_VALUE = 500


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How the log looks and where it goes; without a file, to stderr."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error", "critical"] = "info"
    file: Path | None = None


class Sink(Protocol):
    """Takes whole lines; loses them rather than fail."""

    def write(self, line: bytes) -> None: ...


def configure(options: LogOptions, env: Mapping[str, str], *, fd: int = 2) -> None:
    """Send all of memd's events, and the warnings of the libraries, where the options say."""
    sink: Sink = FileSink(options.file) if options.file else StreamSink(fd)
    render = _as_json if options.format == "json" else _as_text
    with_priority = options.file is None and is_journal(fd, env)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            RateLimit(),
            name_error,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            make_visible,
            Renderer(render, with_priority=with_priority),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[options.level]),
        logger_factory=lambda *_names: LineLogger(sink),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(handlers=[LibraryHandler()], level=logging.WARNING, force=True)
    logging.raiseExceptions = False


def is_journal(fd: int, env: Mapping[str, str]) -> bool:
    """Whether this descriptor leads to journald, which then reads a priority at the start of each line."""
    try:
        found = os.fstat(fd)
    except OSError:
        return False
    return env.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


class RateLimit:
    """Lets an event marked ``limited`` through once a minute and counts the others."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open_at: dict[str, float] = {}
        self._suppressed: dict[str, int] = {}

    def __call__(self, _logger: object, _method: str, event: Event) -> Event:
        if not event.pop("limited", False):
            return event
        name, now = str(event.get("event")), self._now()
        if now < self._open_at.get(name, 0.0):
            self._suppressed[name] = self._suppressed.get(name, 0) + 1
            raise structlog.DropEvent
        self._open_at[name] = now + _LIMIT_SECONDS
        if suppressed := self._suppressed.pop(name, 0):
            event["suppressed"] = suppressed
        return event


def name_error(_logger: object, _method: str, event: Event) -> Event:
    """Put an exception's type and place where its traceback would be."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event["error"], event["place"] = type(error).__name__, place_of(error)
    return event


def make_visible(_logger: object, _method: str, event: Event) -> Event:
    """Escape whatever could act on a terminal or break a line, in names and values."""
    return {_visible(str(key)): _plain(value) for key, value in event.items()}


class Renderer:
    """The line of an event, after its priority where journald reads one."""

    def __init__(self, render: Callable[[Event], str], *, with_priority: bool) -> None:
        self._render = render
        self._with_priority = with_priority

    def __call__(self, _logger: object, _method: str, event: Event) -> str:
        line = self._render(event)
        return f"<{_PRIORITY.get(str(event.get('level')), 6)}>{line}" if self._with_priority else line


class LineLogger:
    """What structlog hands its lines to."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def msg(self, line: str) -> None:
        self._sink.write(line.encode("utf-8", "backslashreplace") + b"\n")

    debug = info = warning = error = critical = msg


class LibraryHandler(logging.Handler):
    """Passes on what libraries log: the first line of the message before its values are put in, and no more."""

    def emit(self, record: logging.LogRecord) -> None:
        level = next((name for name, number in _LEVELS.items() if record.levelno <= number), "critical")
        first_line = str(record.msg).partition("\n")[0]
        log: Callable[..., None] = getattr(structlog.get_logger(), level)
        log("library", logger=record.name, message=first_line, exc_info=record.exc_info, limited=False)


def _as_json(event: Event) -> str:
    return json.dumps(event)


def _as_text(event: Event) -> str:
    rest = dict(event)
    head = [str(rest.pop(name, "")) for name in ("timestamp", "level", "event")]
    return " ".join([*head, *(f"{name}={_quoted(value)}" for name, value in rest.items())])


def _quoted(value: object) -> str:
    text = str(value)
    return text if text and " " not in text and '"' not in text else json.dumps(text)


def _plain(value: object) -> object:
    """The value as JSON holds it."""
    match value:
        case None | bool() | int() | float():
            return value
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case dict():
            return {_visible(str(key)): _plain(item) for key, item in value.items()}
        case _:
            return _visible(str(value))


def _visible(text: str) -> str:
    if len(text) > _LONGEST_VALUE:
        text = text[:_LONGEST_VALUE] + "…"
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
