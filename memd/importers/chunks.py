"""Nodes of a transcript's tree as bytes: some twenty a node, since they are kept for every line that is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgpack

# uuid, parent (its number, or its uuid where it is not known yet), kind, reply (likewise), turn
Node = tuple[str | None, int | str | None, int, int | str | None, str | None]
Short = str | bytes | None

_FIELDS = 5
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)


def pack(nodes: Sequence[Node]) -> bytes:
    """The nodes, packed; no bytes for no nodes."""
    if not nodes:
        return b""
    flat: list[object] = []
    for uuid, parent, kind, reply, turn in nodes:
        flat += (
            _short(uuid),
            parent if isinstance(parent, int) else _short(parent),
            kind,
            reply,
            True if turn is not None and turn == uuid else _short(turn),
        )
    packed: bytes = msgpack.packb(flat)
    return packed


def unpack(chunk: bytes) -> Iterator[Node]:
    """The nodes of a chunk. ValueError where it is none."""
    if not chunk:
        return
    flat = msgpack.unpackb(chunk)
    for at in range(0, len(flat), _FIELDS):
        short, parent, kind, reply, turn = flat[at : at + _FIELDS]
        uuid = _long(short)
        yield (
            uuid,
            parent if isinstance(parent, int) else _long(parent),
            kind,
            reply,
            uuid if turn is True else _long(turn),
        )


def _short(text: str | None) -> Short:
    if text is not None and _UUID.fullmatch(text):
        return bytes.fromhex(text.replace("-", ""))
    return text


def _long(value: Short) -> str | None:
    if isinstance(value, bytes):
        text = value.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
    return value
