"""Cursors: how far each watched file is read, and by what it is known again (R2, R4)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from memd.db.driver import Connection
from memd.sources import tail
from memd.sources.scan import Stat

Table = Literal["file", "observation_log"]

_OF: dict[Table, tuple[str, str]] = {
    "file": ("turn", "file_id"),
    "observation_log": ("observation", "log_id"),
}

HEAD_BYTES = 1024
TAIL_BYTES = 256


@dataclass(frozen=True, slots=True)
class Cursor:
    """A file as it was when last read. ``offset`` is behind the last whole line that was taken."""

    path: str
    device: int
    inode: int
    size: int
    mtime_ns: int
    offset: int
    head_hash: bytes
    tail_hash: bytes

    def unchanged(self, stat: Stat) -> bool:
        """True where nothing happened to the file since it was read, as far as its stat tells."""
        return (
            self.mtime_ns == stat.st_mtime_ns
            and self.size == stat.st_size
            and self.inode == stat.st_ino
            and self.device == stat.st_dev
        )


def passing(path: str, stat: Stat) -> Cursor:
    """A cursor that passes a file over as it stands: unread from its beginning, but nothing new to look at."""
    nothing = sha256(b"").digest()[:16]
    return Cursor(path, stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, 0, nothing, nothing)


def key_of(path: bytes) -> str:
    """A path as text; bytes that are no UTF-8 stand escaped, so that any name has one."""
    return path.decode("utf-8", "backslashreplace")


def fingerprint(descriptor: int, offset: int) -> tuple[bytes, bytes]:
    """Hashes of the first bytes and of those before ``offset``; both empty at offset 0."""
    head = os.pread(descriptor, min(HEAD_BYTES, offset), 0)
    start = max(0, offset - TAIL_BYTES)
    tail = os.pread(descriptor, offset - start, start)
    return sha256(head).digest()[:16], sha256(tail).digest()[:16]


def continues(descriptor: int, stat: os.stat_result, cursor: Cursor) -> bool:
    """True where the open file is the one the cursor knows, only longer or equal (R4)."""
    if (stat.st_dev, stat.st_ino) != (cursor.device, cursor.inode) or stat.st_size < cursor.offset:
        return False
    return fingerprint(descriptor, cursor.offset) == (cursor.head_hash, cursor.tail_hash)


def is_of(path: bytes, cursor: Cursor) -> bool:
    """True where the file that stands at the path now is the one the cursor knows, under whatever name."""
    descriptor, info = tail.open_regular(path)
    try:
        return continues(descriptor, info, cursor)
    finally:
        os.close(descriptor)


def load(connection: Connection, table: Table = "file") -> list[Cursor]:
    """Every cursor there is, those of missing files too."""
    rows = connection.execute(
        f"SELECT path, device, inode, size, mtime_ns, offset, head_hash, tail_hash FROM {table}"
    )
    return [Cursor(*row) for row in rows]


def excluded(connection: Connection) -> list[tuple[str, str]]:
    """The files that are passed over, each with the working directory for which it is."""
    rows = connection.execute("SELECT path, excluded FROM file WHERE excluded IS NOT NULL")
    return [(str(path), str(cwd)) for path, cwd in rows]


def start_over(connection: Connection, paths: Sequence[str]) -> list[Cursor]:
    """Have files read from their beginning; their cursors. What is stored of them is known by its ids."""
    connection.executemany(
        "DELETE FROM file_chunk WHERE file_id = (SELECT id FROM file WHERE path = ?)",
        [(path,) for path in paths],
    )
    connection.executemany(
        "UPDATE file SET size = -1, offset = 0, head = x'', excluded = NULL WHERE path = ?",
        [(path,) for path in paths],
    )
    return [cursor for cursor in load(connection) if cursor.path in set(paths)]


def progress(connection: Connection, path: str) -> tuple[bytes, list[bytes]] | None:
    """What the importer kept of the lines behind the cursor: its head and its chunks."""
    row = connection.execute("SELECT id, head FROM file WHERE path = ?", (path,)).fetchone()
    if row is None:
        return None
    chunks = connection.execute("SELECT nodes FROM file_chunk WHERE file_id = ? ORDER BY number", (row[0],))
    return bytes(row[1]), [bytes(nodes) for (nodes,) in chunks]


def rename(connection: Connection, old: str, new: str, table: Table = "file") -> None:
    """The file moved: its cursor moves along (a stale cursor at the new path gives way)."""
    stale = connection.execute(f"SELECT id FROM {table} WHERE path = ?", (new,)).fetchone()
    moved = connection.execute(f"SELECT id FROM {table} WHERE path = ?", (old,)).fetchone()
    if stale and moved:
        held, by = _OF[table]
        connection.execute(f"UPDATE {held} SET {by} = ? WHERE {by} = ?", (moved[0], stale[0]))
        connection.execute(f"DELETE FROM {table} WHERE id = ?", (stale[0],))
    connection.execute(f"UPDATE {table} SET path = ?, missing = 0 WHERE path = ?", (new, old))


def mark_missing(
    connection: Connection, missing: list[str], present: list[str], table: Table = "file"
) -> None:
    """Note which files are gone (what is stored of them stays) and which came back."""
    for gone, paths in ((1, missing), (0, present)):
        connection.executemany(
            f"UPDATE {table} SET missing = ? WHERE path = ?", [(gone, path) for path in paths]
        )
