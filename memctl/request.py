"""One request and its plain answer, packed and unpacked by hand: what the hot path needs of msgpack, and no import.

The rule: what an answer holds beyond that is left to the client of the other commands, which knows all of it.
"""

from __future__ import annotations

import os

from memctl.connection import ANSWER_SECONDS, reach
from memd.wire.address import socket_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memctl.arguments import Arguments


def ask(arguments: Arguments, method: str, params: dict[str, object]) -> dict[str, object]:
    """The result of one call to the memd that the command line and the environment mean."""
    path = socket_path(os.environ, home=arguments.text("home"), socket=arguments.text("socket"))
    payload = pack({"v": 1, "id": 1, "method": method, "params": params})
    connection = reach(arguments, path)
    try:
        connection.send(len(payload).to_bytes(4, "big") + payload)
        return _result(connection.receive(arguments.number("timeout") or ANSWER_SECONDS))
    finally:
        connection.close()


def _result(payload: bytes) -> dict[str, object]:
    """The result of a plain answer. Whatever else it may be, the client of the other commands knows."""
    try:
        answer, end = unpack(payload, 0)
        if end == len(payload) and isinstance(answer, dict):
            result = answer.get("result")
            if (
                answer.get("v") == 1
                and answer.get("id") == 1
                and answer.get("ok") is True
                and isinstance(result, dict)
            ):
                return result
    except (IndexError, ValueError, TypeError, RecursionError):
        pass
    from memctl.client import result_of

    return result_of(payload, 1)


def utf8(text: str) -> bytes:
    """Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    return text.encode("utf-8", "replace")


def pack(value: object) -> bytes:
    """msgpack of maps, texts, booleans and whole numbers from 0, which is all that is asked with here."""
    if value is True:
        return b"\xc3"
    if isinstance(value, int):
        return bytes((value,)) if value < 0x80 else b"\xce" + value.to_bytes(4, "big")
    if isinstance(value, str):
        data = utf8(value)
        size = len(data)
        return (bytes((0xA0 | size,)) if size < 32 else b"\xdb" + size.to_bytes(4, "big")) + data
    if isinstance(value, dict):
        return (
            b"\xde"
            + len(value).to_bytes(2, "big")
            + b"".join([pack(part) for item in value.items() for part in item])
        )
    raise TypeError(type(value).__name__)


def unpack(data: bytes, at: int) -> tuple[object, int]:
    """The value that starts at a place, and where the next one starts. ValueError for what is rare in an answer."""
    head = data[at]
    at += 1
    if head < 0x80:
        return head, at
    if head < 0x90:
        return _unpack_map(data, at, head & 0x0F)
    if 0xA0 <= head < 0xC0:
        return _unpack_text(data, at, head & 0x1F)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    size = {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xCC: 1, 0xCD: 2, 0xCE: 4}.get(head)
    if size is None:
        raise ValueError(head)
    number = int.from_bytes(data[at : at + size], "big")
    return _unpack_text(data, at + size, number) if head > 0xD0 else (number, at + size)


def _unpack_text(data: bytes, at: int, size: int) -> tuple[str, int]:
    if at + size > len(data):
        raise IndexError(size)
    return data[at : at + size].decode(), at + size


def _unpack_map(data: bytes, at: int, count: int) -> tuple[dict[object, object], int]:
    found: dict[object, object] = {}
    for _ in range(count):
        key, at = unpack(data, at)
        found[key], at = unpack(data, at)
    return found, at
