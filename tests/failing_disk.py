"""A disk that fails when it is told to: SQLite's own calls, with errors put between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import apsw


@dataclass
class Disk:
    """How many of the next syncs and writes fail, and for which files; a full one refuses every write."""

    syncs: int = 0
    writes: int = 0
    full: bool = False
    below: str = ""

    def concerns(self, name: str | None) -> bool:
        return self.below in (name or "")


@contextmanager
def failing_disk() -> Iterator[Disk]:
    """Every database that is opened meanwhile lies on the disk."""
    disk = Disk()

    class File(apsw.VFSFile):
        def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
            super().__init__("unix", name, flags)
            self._name = name.filename() if isinstance(name, apsw.URIFilename) else name

        def xSync(self, flags: int) -> None:
            if disk.syncs and disk.concerns(self._name):
                disk.syncs -= 1
                raise apsw.IOError("the sync failed")
            super().xSync(flags)

        def xWrite(self, data: bytes, offset: int) -> None:
            if disk.full and disk.concerns(self._name):
                raise apsw.FullError("the disk is full")
            if disk.writes and disk.concerns(self._name):
                disk.writes -= 1
                raise apsw.IOError("the write failed")
            super().xWrite(data, offset)

    class System(apsw.VFS):
        def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> File:
            return File(name, flags)

    system = System("failing", "unix", makedefault=True)
    try:
        yield disk
    finally:
        system.unregister()
