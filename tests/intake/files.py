"""Transcripts as their writers mean them: which turns must be stored of what stands in a file, and which may be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

NEWLINE = b"\n"


@dataclass(frozen=True)
class Record:
    """What somebody wants to write. Without a uuid, equal texts are told apart by their number in the file alone."""

    text: str
    uuid: str | None

    @property
    def data(self) -> bytes:
        """The line, without its newline; characters of several bytes stand in it as they are."""
        record: dict[str, object] = {
            "type": "user",
            "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00.000Z",
        }
        if self.uuid:
            record["uuid"] = self.uuid
        record["message"] = {"role": "user", "content": self.text}
        return json.dumps(record, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Piece:
    """The bytes of one record that stand in a file: all of it, or its beginning. No record: a newline."""

    data: bytes
    record: Record | None = None

    @property
    def whole(self) -> bool:
        return self.record is not None and self.data == self.record.data


def whole(records: Iterable[Record]) -> list[Piece]:
    """The records, each with its newline."""
    return [piece for one in records for piece in (Piece(one.data, one), Piece(NEWLINE))]


def bytes_of(pieces: Iterable[Piece]) -> bytes:
    return b"".join(piece.data for piece in pieces)


def cut(pieces: Sequence[Piece], size: int) -> list[Piece]:
    """The first so many bytes."""
    kept: list[Piece] = []
    for piece in pieces:
        if size <= 0:
            break
        kept.append(replace(piece, data=piece.data[:size]))
        size -= len(piece.data)
    return kept


def certain(pieces: Sequence[Piece]) -> Counter[str]:
    """The texts, with how often each, that must be stored once the file has been read as it stands (R2)."""
    said: Counter[str] = Counter()
    line: list[Piece] = []
    for piece in pieces:
        if piece.record:
            line.append(piece)
        else:
            said.update(one.text for one in _of_line(line))
            line = []
    if len(line) == 1:  # the last line, without its newline: it counts when it is one whole record
        said.update(one.text for one in _of_line(line))
    return _once(pieces, said)


def possible(pieces: Sequence[Piece]) -> Counter[str]:
    """The texts that may be stored if the file is read at some time up to now."""
    return _once(pieces, Counter(piece.record.text for piece in pieces if piece.record and piece.whole))


def _of_line(line: Sequence[Piece]) -> list[Record]:
    """Records on one line: all of them, or, behind one that broke off, the last."""
    if all(piece.whole for piece in line):
        return [piece.record for piece in line if piece.record]
    return [piece.record for piece in line[-1:] if piece.record and piece.whole]


def _once(pieces: Sequence[Piece], said: Counter[str]) -> Counter[str]:
    """A record with a uuid is the same turn however often it stands there."""
    known = {piece.record.text for piece in pieces if piece.record and piece.record.uuid}
    return Counter({text: 1 if text in known else count for text, count in said.items()})
