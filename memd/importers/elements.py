"""The elements of a JSON array that comes in pieces, one by one, however long it is.

Nothing is parsed here: strings, brackets and commas say where an element ends, for a whole piece at once. Whether an
element is sound, its own parser finds. Of a document that is an object, the elements are those of the arrays under
the given keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from memd.errors import HistoryImportError
from memd.importers.limits import ImportLimits
from memd.importers.reasons import Skip

Numbers = npt.NDArray[np.int64]
Element = tuple[int, bytes | Skip]  # where it starts, and its bytes or why they are passed over

_QUOTE, _COMMA, _OPEN, _CLOSE = 1, 2, 3, 4
_SIGNS = bytes(
    {'"': _QUOTE, ",": _COMMA, "[": _OPEN, "{": _OPEN, "]": _CLOSE, "}": _CLOSE}.get(chr(at), 0)
    for at in range(256)
)
_STEPS = np.array((0, 0, 0, 1, -1), np.int32)
_SPACE = b" \t\r\n"
_LAST_KEY = re.compile(rb'"([^"\\]*)"\s*:\s*$')


def elements(
    pieces: Iterable[bytes], limits: ImportLimits, keys: Collection[bytes] = ()
) -> Iterator[Element]:
    """The elements in their order. HistoryImportError where the document ends before its array does."""
    scan = _Scan(limits, keys)
    for piece in _unsplit(pieces):
        yield from scan.feed(piece)
    if not scan.closed:
        raise HistoryImportError("it ends in the middle of a list: the file is cut off, or is no JSON")
    if scan.trails:
        raise HistoryImportError("it goes on behind its list, so it is no JSON; that rest was not read")


def _unsplit(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut so that no piece ends between a backslash and what it escapes."""
    held = b""
    for piece in pieces:
        piece = held + piece
        odd = (len(piece) - len(piece.rstrip(b"\\"))) % 2
        held = piece[len(piece) - odd :]
        yield piece[: len(piece) - odd]
    if held:
        yield held


class _Scan:
    """Where the reading stands: inside a string, how deep, and what of the next element has come."""

    def __init__(self, limits: ImportLimits, keys: Collection[bytes]) -> None:
        self._limits, self._keys = limits, keys
        self._level = 2 if keys else 1  # the depth right inside the array
        self._inside, self._depth = 0, 0
        self._listed = False  # whether what comes is an element of an array that is wanted
        self._over = False  # the array has ended
        self._more = False  # something else began behind it
        self._seen = 0
        self._begin(0)

    @property
    def closed(self) -> bool:
        """True where the document is whole."""
        return self._seen > 0 and self._depth == 0 and not self._inside

    @property
    def trails(self) -> bool:
        """True where something stands behind the array."""
        return not self._keys and (
            self._more or self._size > self._limits.max_record_bytes or bool(self._element())
        )

    def feed(self, piece: bytes) -> Iterator[Element]:
        """The elements that end in the piece."""
        start = first = 0
        stops, places, depths = self._stops(piece)
        for number in stops:
            at = int(places[number])
            self._gather(piece[start:at], depths[first:number])
            yield from self._stop(piece[at : at + 1], self._seen + at)
            start, first = at + 1, number
        self._gather(piece[start:], depths[first:])
        self._seen += len(piece)

    def _stops(self, piece: bytes) -> tuple[list[int], Numbers, Numbers]:
        """The signs where an array that counts begins, ends or has a comma, by their number; the places of all signs
        outside of strings, and the depth behind each."""
        plain = piece.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        signs = np.frombuffer(plain.translate(_SIGNS), np.uint8)
        places = np.flatnonzero(signs)
        signs = signs[places]
        quotes = np.cumsum(signs == _QUOTE)
        quotes += self._inside
        self._inside = int(quotes[-1]) & 1 if len(quotes) else self._inside
        outside = (quotes & 1 == 0) & (signs != _QUOTE)
        places, signs = places[outside], signs[outside]
        depths = np.cumsum(_STEPS[signs])
        depths += self._depth
        self._depth = int(depths[-1]) if len(depths) else self._depth
        edges = (signs != _CLOSE) & (depths == self._level)
        edges |= (signs == _CLOSE) & (depths == self._level - 1)
        return np.flatnonzero(edges).tolist(), places, depths

    def _begin(self, offset: int) -> None:
        self._parts: list[bytes] = []
        self._size, self._peak, self._offset = 0, 0, offset

    def _gather(self, part: bytes, depths: Numbers) -> None:
        """Keep a part of what may be an element, unless it grows too large."""
        if not part:
            return
        self._size += len(part)
        self._peak = max(self._peak, int(depths.max(initial=0)))
        if self._size <= self._limits.max_record_bytes:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _stop(self, sign: bytes, at: int) -> Iterator[Element]:
        self._more = self._more or self._over
        if sign in b"[{":
            name = _LAST_KEY.search(b"".join(self._parts)[-200:])
            self._listed = sign == b"[" and (not self._keys or (name is not None and name[1] in self._keys))
        elif self._listed:
            element = self._element()
            if sign == b"," or element:  # an empty array has one place with nothing in it
                yield self._offset, element
            self._listed = sign == b","
            self._over = not self._listed
        self._begin(at + 1)

    def _element(self) -> bytes | Skip:
        if self._size > self._limits.max_record_bytes:
            return Skip.TOO_LARGE
        if self._peak - self._level > self._limits.max_depth:
            return Skip.TOO_DEEP
        return b"".join(self._parts).strip(_SPACE)
