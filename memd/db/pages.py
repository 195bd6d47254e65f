"""The pages of a database file, read without SQLite: what is left to go by where SQLite gives up.

The layout is that of https://www.sqlite.org/fileformat2.html. Nothing that stands in a page is trusted: every number
is checked before it is used, a cell that makes no sense is passed over, and a page that cannot be read is empty.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memd.db.driver import Row, Value

PAGE_BYTES = 4096  # memd never made another size

MAGIC = b"SQLite format 3\0"
_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
_INNER = (_TABLE_INNER, _INDEX_INNER)
_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LONGEST_RECORD = 1 << 30


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a row, a child page, or (in an inner page of an index) both."""

    child: int = 0
    rowid: int = 0
    row: Row | None = None


Record = tuple[int, Row]  # its rowid, 0 in an index, and its values


class Pages:
    """A file's pages by number, from 1."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY)
        self.count = os.fstat(self._descriptor).st_size // PAGE_BYTES

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def page(self, number: int) -> bytes:
        """The bytes of a page; none where the disk does not give them."""
        try:
            return os.pread(self._descriptor, PAGE_BYTES, (number - 1) * PAGE_BYTES)
        except OSError:
            return b""

    @property
    def header(self) -> bytes | None:
        """The first hundred bytes; None where they are not those of a database."""
        first = self.page(1)[:100]
        return first if len(first) == 100 and first.startswith(MAGIC) else None

    def tree(self, root: int) -> Iterator[tuple[int, list[Record]]]:
        """The pages below a root that can be reached, each with its records."""
        waiting, met = [root], {0}
        while waiting:
            number = waiting.pop()
            if number in met or number > self.count:
                continue
            met.add(number)
            cells = list(self._cells(number))
            waiting.extend(cell.child for cell in reversed(cells) if cell.child)
            yield number, [(cell.rowid, cell.row) for cell in cells if cell.row is not None]

    def leaf(self, number: int) -> tuple[bool, Iterator[Record]]:
        """Whether a page is a leaf of a table with rowids, and the records of it; none where it is no leaf at all."""
        kind = self.page(number)[:1]
        if kind not in (bytes((_TABLE_LEAF,)), bytes((_INDEX_LEAF,))):
            return False, iter(())
        records = ((cell.rowid, cell.row) for cell in self._cells(number) if cell.row is not None)
        return kind[0] == _TABLE_LEAF, records

    def _cells(self, number: int) -> Iterator[Cell]:
        """The cells of a page of a tree, without those that make no sense."""
        page = self.page(number)
        start = 100 if number == 1 else 0
        if len(page) < PAGE_BYTES or page[start] not in (_TABLE_LEAF, _INDEX_LEAF, *_INNER):
            return
        inner = page[start] in _INNER
        first = start + (12 if inner else 8)
        for place in range(first, min(first + 2 * _u16(page, start + 3), PAGE_BYTES - 1), 2):
            try:
                yield self._cell(page, page[start], _u16(page, place))
            except (ValueError, IndexError, struct.error):
                continue
        if inner:
            yield Cell(_u32(page, start + 8))

    def _cell(self, page: bytes, kind: int, at: int) -> Cell:
        child = 0
        if kind in _INNER:
            child, at = _u32(page, at), at + 4
            if kind == _TABLE_INNER:
                return Cell(child)
        size, at = _varint(page, at)
        rowid = 0
        if kind == _TABLE_LEAF:
            rowid, at = _varint(page, at)
        return Cell(child, _signed(rowid), _record(self._payload(page, at, size, kind)))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        """The bytes of a record: those in the page, then those of its overflow pages."""
        here = _local(size, kind)
        parts = [page[at : at + here]]
        missing = size - len(parts[0])
        following = _u32(page, at + here) if missing else 0
        while missing and 1 < following <= self.count:
            more = self.page(following)
            following = _u32(more, 0)
            parts.append(more[4 : 4 + missing])
            missing -= len(parts[-1])
        if missing:
            raise ValueError("a record is cut off")
        return b"".join(parts)


def _local(size: int, kind: int) -> int:
    """How many bytes of a record stand in the page itself."""
    if not 0 < size <= _LONGEST_RECORD:
        raise ValueError("a record of no possible size")
    most = PAGE_BYTES - 35 if kind == _TABLE_LEAF else (PAGE_BYTES - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (PAGE_BYTES - 12) * 32 // 255 - 23
    here = least + (size - least) % (PAGE_BYTES - 4)
    return here if here <= most else least


def _record(payload: bytes) -> Row:
    """The values of a record; ValueError where it is none."""
    end, at = _varint(payload, 0)
    body = end
    values: list[Value] = []
    while at < end:
        kind, at = _varint(payload, at)
        size = _SIZES.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        values.append(_value(kind, payload[body : body + size]))
        body += size
    if at != end or body != len(payload):
        raise ValueError("a record that does not add up")
    return tuple(values)


def _value(kind: int, raw: bytes) -> Value:
    if kind in _SIZES:
        return int.from_bytes(raw, signed=True)
    if kind == 7:
        return float(struct.unpack(">d", raw)[0])
    if kind >= 12:
        return raw.decode() if kind % 2 else raw
    return {0: None, 8: 0, 9: 1}[kind] if kind in (0, 8, 9) else _refuse(kind)


def _refuse(kind: int) -> Value:
    raise ValueError(f"no value is of type {kind}")


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for taken in range(8):
        byte = raw[at + taken]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + taken + 1
    return value << 8 | raw[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _u16(raw: bytes, at: int) -> int:
    return int.from_bytes(raw[at : at + 2])


def _u32(raw: bytes, at: int) -> int:
    return int.from_bytes(raw[at : at + 4])
