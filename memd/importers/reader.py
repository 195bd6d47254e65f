"""The one way to the bytes of a foreign file: bounded, never held whole, cut into records before any is parsed.

A file is a list (one JSON array, or one under a known key of an object), lines (one JSON value each), or a single
object. What it is shows in its first bytes; no name counts. A record that is too large or nests too deep is passed
over without being held or parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import orjson

from memd.errors import HistoryImportError
from memd.importers import lines
from memd.importers.limits import ImportLimits
from memd.importers.reasons import Skip

PIECE = 1 << 18
HEAD = 1 << 16
KEYS = (b"results", b"memories")  # under which an object may hold the list of records

_PLAIN = rb'\s*"[^"\\]{1,60}"\s*:\s*(?:[\w.+-]{1,60}|"[^"\\]{0,500}")\s*,'
_WRAPPED = re.compile(rb'\s*\{(?:%b){0,20}\s*"(?:%b)"\s*:\s*\[' % (_PLAIN, b"|".join(KEYS)))


Pulse = Callable[[], None]


class Stream(Protocol):
    """Bytes from the front to the end."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that may hold history: ``label`` names it in messages, ``place`` is the file on disk that it lies in.

    ``size`` is that of what ``opened`` gives, or of what it is made from where that is not known.
    """

    label: str
    place: str
    size: int
    opened: Callable[[], AbstractContextManager[Stream]]


class Raw(NamedTuple):
    """A record with its offset, or why there is none; ``end`` is how far the file is read.

    ``name`` is what a person finds it by where the offset is none in the file.
    """

    at: int
    value: object
    end: int
    name: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return self.name or f"the record at byte {self.at:,}"


class Input:
    """A file's bytes in their order; HistoryImportError once there are more of them than may be."""

    def __init__(self, stream: Stream, limits: ImportLimits, pulse: Pulse) -> None:
        self._stream, self._limits, self._pulse = stream, limits, pulse
        self._ahead = b""
        self.position = 0

    def peek(self) -> bytes:
        """The first bytes, which come again; all of them where they are few."""
        while len(self._ahead) < HEAD and (piece := self._read(HEAD)):
            self._ahead += piece
        return self._ahead

    def pieces(self) -> Iterator[bytes]:
        """All bytes, in pieces."""
        if self._ahead:
            yield self._ahead
        self._ahead = b""
        while piece := self._read(PIECE):
            yield piece

    def _read(self, size: int) -> bytes:
        self._pulse()
        piece = self._stream.read(size)
        self.position += len(piece)
        if self.position > self._limits.max_file_bytes:
            raise _too_large(self._limits)
        return piece


def _too_large(limits: ImportLimits) -> HistoryImportError:
    most = f"{limits.max_file_bytes:,} bytes, the most that is imported"
    return HistoryImportError(f"it holds more than {most}", limit="max_file_bytes")


def records(file: DataFile, limits: ImportLimits, pulse: Pulse = lambda: None) -> Iterator[Raw]:
    """The records of a file; ``pulse`` is called before every piece that is read, and may raise to end it.

    HistoryImportError, without the file's name, where the file cannot be read to its end.
    """
    if file.size > limits.max_file_bytes:
        raise _too_large(limits)
    with file.opened() as stream:
        source = Input(stream, limits, pulse)
        for at, found in _cut(source, limits):
            if isinstance(found, bytes):
                yield Raw(at, lines.value(found) if found else Skip.UNSUPPORTED, source.position)
            else:
                yield Raw(at, found, source.position)


def _cut(source: Input, limits: ImportLimits) -> Iterator[tuple[int, bytes | Skip]]:
    head = source.peek().removeprefix(lines.BOM).lstrip()
    line, _, more = head.partition(b"\n")
    if more.strip() and _is_json(line):
        return _lines(source, limits)
    if head.startswith(b"["):
        return _elements(source, limits)
    if _WRAPPED.match(head):
        return _elements(source, limits, KEYS)
    if head.startswith(b"{") and more and line.rstrip()[-1:] in (b"{", b"[", b","):
        return _whole(source, limits)  # one object over many lines
    return _lines(source, limits)


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _elements(
    source: Input, limits: ImportLimits, keys: tuple[bytes, ...] = ()
) -> Iterator[tuple[int, bytes | Skip]]:
    from memd.importers import elements  # numpy comes with it, which only such files need

    return elements.elements(source.pieces(), limits, keys)


def _whole(source: Input, limits: ImportLimits) -> Iterator[tuple[int, bytes | Skip]]:
    """The one record of a file that is an object."""
    parts: list[bytes] = []
    size = 0
    for piece in source.pieces():
        size += len(piece)
        if size > limits.max_record_bytes:
            yield 0, Skip.TOO_LARGE
            return
        parts.append(piece)
    yield 0, _checked(b"".join(parts).removeprefix(lines.BOM), limits)


def _lines(source: Input, limits: ImportLimits) -> Iterator[tuple[int, bytes | Skip]]:
    """Line by line; blank ones are none."""
    start, size = 0, 0
    held: list[bytes] = []
    for piece in source.pieces():
        *whole, last = piece.split(b"\n")
        for line in whole:
            size += len(line)
            yield from _line(start, [*held, line], size, limits)
            start += size + 1
            held, size = [], 0
        size += len(last)
        held = [*held, last] if size <= limits.max_record_bytes else []
    yield from _line(start, held, size, limits)


def _line(
    start: int, parts: list[bytes], size: int, limits: ImportLimits
) -> Iterator[tuple[int, bytes | Skip]]:
    if size > limits.max_record_bytes:
        yield start, Skip.TOO_LARGE
    elif line := b"".join(parts).removeprefix(lines.BOM).strip():
        yield start, _checked(line, limits)


def _checked(record: bytes, limits: ImportLimits) -> bytes | Skip:
    return Skip.TOO_DEEP if lines.is_too_deep(record, limits.max_depth) else record
