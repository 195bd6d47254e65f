"""Where log lines go: a descriptor such as stderr, or files that take turns.

The rule: a line that cannot be written is lost, and memd goes on.
"""

from __future__ import annotations

import os
import select
from pathlib import Path

_LONGEST_LINE = 4000  # a pipe that polls as writable takes 4096 bytes without waiting


class StreamSink:
    """Writes to a descriptor that others may share, so it may not be made non-blocking: it is asked first."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def write(self, line: bytes) -> None:
        """Write the line if there is room for it."""
        if len(line) > _LONGEST_LINE:
            line = line[:_LONGEST_LINE] + b"\n"
        try:
            poll = select.poll()
            poll.register(self._fd, select.POLLOUT)
            if any(happened & select.POLLOUT for _, happened in poll.poll(0)):
                os.write(self._fd, line)
        except (OSError, ValueError):
            pass


class FileSink:
    """Files of 0600 that are moved on when full: ``memd.log``, ``memd.log.1``, … ``.4``."""

    def __init__(self, path: Path, *, most_bytes: int = 10 << 20, files: int = 5) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._files = files
        self._fd = -1
        self._size = 0

    def write(self, line: bytes) -> None:
        """Append the line, to a new file if this one would be too big."""
        try:
            if self._fd < 0:
                self._open()
            if self._size and self._size + len(line) > self._most_bytes:
                self._rotate()
            self._size += os.write(self._fd, line)
        except OSError:
            self.close()  # and try anew at the next line

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self._fd = os.open(self._path, flags, 0o600)
        os.fchmod(self._fd, 0o600)
        self._size = os.fstat(self._fd).st_size

    def _rotate(self) -> None:
        self.close()
        for number in range(self._files - 1, 0, -1):
            older = self._path.with_name(f"{self._path.name}.{number}")
            newer = self._path if number == 1 else self._path.with_name(f"{self._path.name}.{number - 1}")
            if newer.exists():
                newer.replace(older)
        self._open()
