"""Standard output and standard error: bytes out, and whether colour is wanted.

The rule: nothing waits in a buffer, so a closed pipe shows where it is written to, and not at exit.
"""

from __future__ import annotations

import os
import sys


def write(text: str) -> None:
    """Write to standard output; BrokenPipeError when nobody reads it any more."""
    _write(1, text, sys.stdout.encoding if sys.stdout else "utf-8")


def complain(text: str) -> None:
    """Write a line to standard error, controls made visible; where that is closed there is nobody to tell."""
    from memd.wire.visible import visible

    line = " ".join(visible(text).split("\n")).rstrip()
    try:
        _write(2, f"memctl: {line}\n", sys.stderr.encoding if sys.stderr else "utf-8")
    except OSError:
        pass


def remark(text: str) -> None:
    """Write to standard error what is not part of the output, such as where it comes from."""
    try:
        _write(2, text, sys.stderr.encoding if sys.stderr else "utf-8")
    except OSError:
        pass


def has_color(refused: bool) -> bool:
    """Whether standard output is a terminal that may be coloured (no-color.org)."""
    env = os.environ
    return not refused and not env.get("NO_COLOR") and env.get("TERM") != "dumb" and is_terminal(1)


def is_terminal(fd: int) -> bool:
    """Whether the descriptor is open and a terminal."""
    try:
        return os.isatty(fd)
    except OSError:
        return False


def can_ask() -> bool:
    """Whether somebody sits there who can be asked: standard input and standard error are a terminal."""
    return is_terminal(0) and is_terminal(2)


def agrees(question: str) -> bool:
    """Whether that person says yes; anything else, and an end of input, is a no."""
    _write(2, f"{question} [y/N] ", sys.stderr.encoding)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def width() -> int:
    """The columns of the terminal, within what memd takes."""
    try:
        columns = os.get_terminal_size(1).columns
    except OSError:
        columns = 0
    return min(max(columns or 80, 20), 1000)


def _write(fd: int, text: str, encoding: str) -> None:
    rest = memoryview(text.encode(encoding, "backslashreplace"))
    while rest:
        rest = rest[os.write(fd, rest) :]
