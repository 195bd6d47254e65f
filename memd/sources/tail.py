"""Reading a transcript on from an offset: whole lines only, in constant memory.

Work on bytes, cut at the newline, then decode. The unfinished last line is handed back apart: it waits for its
newline, and only a reader that finds it whole already may use it early (R2).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from memd.importers.regular import NotAFile, open_regular

__all__ = ["MAX_LINE", "Lines", "NotAFile", "close", "complete_lines", "exists", "open_regular"]

CHUNK = 1 << 18
MAX_LINE = 32 << 20


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines with their offsets; where the next read starts; the unfinished rest (at the end of the file)."""

    lines: list[tuple[int, bytes]]
    too_large: list[int]
    offset: int
    rest: bytes
    at_end: bool


def complete_lines(
    descriptor: int, offset: int, *, max_lines: int, max_bytes: int, max_line: int = MAX_LINE
) -> Lines:
    """The next lines from ``offset``; at least one step forward where there is a whole line.

    A line over ``max_line`` is passed over with its offset in ``too_large``, never held in memory.
    """
    lines: list[tuple[int, bytes]] = []
    too_large: list[int] = []
    start, taken, buffer, skipping = offset, 0, b"", False
    read_at = offset
    while len(lines) < max_lines and taken < max_bytes:
        chunk = os.pread(descriptor, CHUNK, read_at)
        if not chunk:
            rest = b"" if skipping else buffer
            return Lines(lines, too_large, start, rest, True)
        read_at += len(chunk)
        if skipping:
            cut = chunk.find(b"\n")
            if cut < 0:
                continue
            too_large.append(start)
            start, skipping = read_at - len(chunk) + cut + 1, False
            chunk, buffer = chunk[cut + 1 :], b""
        *whole, buffer = (buffer + chunk).split(b"\n") if buffer else chunk.split(b"\n")
        for line in whole:
            if len(line) > max_line:
                too_large.append(start)
            else:
                lines.append((start, line))
            start += len(line) + 1
            taken += len(line) + 1
            if len(lines) >= max_lines:
                return Lines(lines, too_large, start, b"", False)
        if len(buffer) > max_line:
            buffer, skipping = b"", True
    return Lines(lines, too_large, start, b"", False)


def close(descriptor: int) -> None:
    """Give a descriptor back."""
    os.close(descriptor)


def exists(path: str) -> bool:
    """True where something stands at the path."""
    return os.path.lexists(path)
