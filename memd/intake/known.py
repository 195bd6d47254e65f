"""What is known of the watched files: how far each is read, under which number its disk has it, whether it is there.

The table is the truth; this is its copy in the intake's thread, level with it after every commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memd.db.database import Database
from memd.sources import cursors, tail
from memd.sources.cursors import Cursor, Table
from memd.sources.scan import Stat, Survey


class KnownFiles:
    """The cursors of a table, by path."""

    def __init__(self, db: Database, table: Table = "file") -> None:
        self._db, self._table = db, table
        self._cursors: dict[str, Cursor] = {}
        self._missing: set[str] = set()
        self._inodes: dict[tuple[int, int], str] = {}

    def load(self) -> None:
        """Read them from the database."""
        self.learn(self._db.read_now(cursors.load, self._table))

    def learn(self, known: Iterable[Cursor]) -> None:
        """Take over cursors that were committed."""
        for cursor in known:
            self._cursors[cursor.path] = cursor
            self._inodes[(cursor.device, cursor.inode)] = cursor.path

    def get(self, key: str) -> Cursor | None:
        """The cursor of a path; None for a file that was never read."""
        return self._cursors.get(key)

    def offset(self, key: str) -> int:
        """How far the file of a path is read."""
        known = self._cursors.get(key)
        return known.offset if known else 0

    def differs(self, key: str, stat: Stat) -> bool:
        """Whether there may be something to read in the file of a path."""
        cursor = self._cursors.get(key)
        return cursor is None or not cursor.unchanged(stat)

    def carry(self, path: bytes, stat: Stat) -> str | None:
        """A file that was renamed is the same file, and its cursor goes with it (R4); the path it had before."""
        key = cursors.key_of(path)
        old = self._inodes.get((stat.st_dev, stat.st_ino))
        cursor = self._cursors.get(old) if old else None
        if cursor is None or key in self._cursors or tail.exists(cursor.path):
            return None
        if not cursors.is_of(path, cursor):
            return None  # another file got the number of one that was deleted
        self._db.write_now(cursors.rename, cursor.path, key, self._table)
        self._missing.discard(cursor.path)
        del self._cursors[cursor.path]
        self.learn([replace(cursor, path=key)])
        return cursor.path

    def note_missing(self, present: set[str], survey: Survey, roots: Sequence[bytes]) -> None:
        """Mark what a scan of the roots did not find, and what it found again; what is stored of it stays."""
        unreadable = tuple(cursors.key_of(folder) for folder in survey.unreadable)
        below = tuple(cursors.key_of(root) + "/" for root in roots)
        gone = [
            path
            for path in self._cursors
            if path not in present and path.startswith(below) and not path.startswith(unreadable or "\n")
        ]
        back = [path for path in self._missing if path in present]
        fresh = [path for path in gone if path not in self._missing]
        if fresh or back:
            self._db.write_now(cursors.mark_missing, fresh, back, self._table)
            self._missing = (self._missing | set(fresh)) - set(back)
