"""Frames: a 4-byte big-endian length and a msgpack map. Bytes in, messages out; no IO here.

The rule: what a stranger sent is measured before anything is built from it. A length is checked before its bytes
are waited for, and a request is walked once, without recursion, before msgpack sees it.
"""

from __future__ import annotations

import msgpack

from memd.errors import BadRequest, TooLarge

HEADER = 4


class BadFrame(BadRequest):
    """These bytes are no frame of memd's."""

    code = "bad_frame"


class Limits:
    """How much a frame may hold. An untrusted one is walked before it is decoded."""

    __slots__ = ("array", "depth", "frame", "map", "string", "untrusted", "values")

    def __init__(
        self, *, frame: int, depth: int, string: int, array: int, map: int, values: int, untrusted: bool
    ) -> None:
        self.frame = frame
        self.depth = depth
        self.string = string
        self.array = array
        self.map = map
        self.values = values
        self.untrusted = untrusted


REQUEST = Limits(
    frame=1 << 20, depth=32, string=64 << 10, array=1000, map=100, values=20_000, untrusted=True
)  # so many values take the walk under 5 ms, the most that may hold up the event loop

# Answers come from a daemon whose uid the client has checked; msgpack's own limits are enough there.
ANSWER = Limits(
    frame=8 << 20, depth=512, string=8 << 20, array=1 << 20, map=1 << 16, values=8 << 20, untrusted=False
)


def encode(message: dict[str, object]) -> bytes:
    """The frame of a message. Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    try:
        payload: bytes = msgpack.packb(message)
    except UnicodeEncodeError:
        payload = msgpack.packb(message, unicode_errors="replace")
    return len(payload).to_bytes(HEADER, "big") + payload


def decode(payload: bytes, limits: Limits) -> dict[str, object]:
    """The map that a frame's payload holds; BadFrame or TooLarge for anything else."""
    if len(payload) > limits.frame:
        raise TooLarge(f"the frame is {len(payload)} bytes; at most {limits.frame} are allowed")
    if limits.untrusted:
        _walk(payload, limits)
    try:
        message = msgpack.unpackb(
            payload,
            raw=False,
            strict_map_key=True,
            max_str_len=limits.string,
            max_bin_len=limits.string,
            max_array_len=limits.array,
            max_map_len=limits.map,
            max_ext_len=0,
        )
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException) as error:
        raise BadFrame(f"the frame is no valid msgpack ({type(error).__name__})") from None
    if not isinstance(message, dict) or not all(isinstance(key, str) for key in message):
        raise BadFrame("the frame is no map with names as keys")
    return message


class FrameReader:
    """Cuts a stream of bytes into payloads, however the bytes arrive."""

    __slots__ = ("_buffer", "_limit", "fault")

    def __init__(self, limits: Limits) -> None:
        self._buffer = bytearray()
        self._limit = limits.frame
        self.fault: BadRequest | None = None

    @property
    def partial(self) -> bool:
        """Whether a frame has begun and is not complete."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads complete by now. A length that is not allowed is raised once those before it are out."""
        self._buffer += data
        payloads: list[bytes] = []
        start = 0
        while self.fault is None and len(self._buffer) - start >= HEADER:
            size = int.from_bytes(self._buffer[start : start + HEADER], "big")
            self.fault = self._refusal(size)
            end = start + HEADER + size
            if self.fault or end > len(self._buffer):
                break
            payloads.append(bytes(self._buffer[start + HEADER : end]))
            start = end
        del self._buffer[:start]
        if self.fault:
            self._buffer.clear()
            if not payloads:
                raise self.fault
        return payloads

    def _refusal(self, size: int) -> BadRequest | None:
        if size == 0:
            return BadFrame("a frame of no bytes")
        if size > self._limit:
            return TooLarge(f"a frame of {size} bytes is announced; at most {self._limit} are allowed")
        return None


# What follows a msgpack type byte. FIXED: so many bytes. LENGTH: a length of so many bytes, then that many bytes
# (text or bytes). COUNT: a count of so many bytes, then that many values. What is in none of them is refused.
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_FIXED |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_LENGTH = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_COUNT = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}


def _walk(data: bytes, limits: Limits) -> None:
    """Check depth, lengths, counts and keys of one value that must fill the data exactly."""
    at, end, values = 0, len(data), 0
    left = [1]  # values still to come, for each container that is open
    maps = [False]
    while left:
        if left[-1] == 0:
            left.pop()
            maps.pop()
            continue
        if at >= end:
            raise BadFrame("the frame ends inside a value")
        values += 1
        if values > limits.values:
            raise TooLarge(f"the frame holds more than {limits.values} values")
        head = data[at]
        at += 1
        if maps[-1] and left[-1] % 2 == 0 and not (0xA0 <= head < 0xC0 or 0xD9 <= head <= 0xDB):
            raise BadFrame("a map has a key that is no text")
        left[-1] -= 1
        if head < 0x80 or head >= 0xE0:
            continue
        if head in _FIXED:
            at += _FIXED[head]
        elif 0xA0 <= head < 0xC0:
            at += head & 0x1F
        elif head in _LENGTH:
            size, at = _number(data, at, _LENGTH[head])
            if size > limits.string:
                raise TooLarge(f"a text of {size} bytes; at most {limits.string} are allowed")
            at += size
        elif head < 0xA0 or head in _COUNT:
            count, at = (head & 0x0F, at) if head < 0xA0 else _number(data, at, _COUNT[head])
            is_map = 0x80 <= head < 0x90 or head >= 0xDE
            _check_container(count, is_map, len(left), limits)
            left.append(2 * count if is_map else count)
            maps.append(is_map)
        else:
            raise BadFrame("the frame holds an extension type")
    if at != end:
        raise BadFrame("the frame ends inside a value" if at > end else "there are bytes after the value")


def _check_container(count: int, is_map: bool, depth: int, limits: Limits) -> None:
    most = limits.map if is_map else limits.array
    if count > most:
        raise TooLarge(f"{'a map' if is_map else 'an array'} of {count}; at most {most} are allowed")
    if depth > limits.depth:
        raise TooLarge(f"the frame is nested deeper than {limits.depth}")


def _number(data: bytes, at: int, size: int) -> tuple[int, int]:
    if at + size > len(data):
        raise BadFrame("the frame ends inside a length")
    return int.from_bytes(data[at : at + size], "big"), at + size
