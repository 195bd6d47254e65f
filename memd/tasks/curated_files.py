"""Changes of the curated files: each a transaction with edits written down in it, then the files, then the edits' end.

A kill in between is made good by ``settle`` at the next start. One change at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

import structlog

from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import MemdError
from memd.reflection import curated_file, memory_edit
from memd.reflection.memory_edit import Edit
from memd.reflection.memory_md import Conflict
from memd.reflection.places import EVERYWHERE, Places

T = TypeVar("T")

_log = structlog.get_logger("memd.reflection")


class CuratedFiles:
    """The curated files with the decisions that stand in the database. A file is named as ``places`` has it."""

    def __init__(self, db: Database, places: Places) -> None:
        self.places = places
        self._db = db
        self._lock = asyncio.Lock()

    async def read(self, file: str = EVERYWHERE) -> str:
        """What a file holds now."""
        return await asyncio.to_thread(lambda: curated_file.read(self.places.path(file)))

    async def change(
        self, work: Callable[[Connection, Mapping[str, str]], T], files: Collection[str] = (EVERYWHERE,)
    ) -> T:
        """Do ``work`` with what these files hold, in a write, and bring them level with what was decided there."""
        async with self._lock:
            await self._settle(files)
            texts = {file: await self.read(file) for file in files}
            for file in files:
                await asyncio.to_thread(self._require_writable, file)
            result = await self._db.write(work, texts)
            await self._settle(files)
            return result

    async def settle(self) -> list[int]:
        """Bring every file level with what was decided; the proposals for which its lines do not allow it."""
        async with self._lock:
            return await self._settle(await self._db.read(memory_edit.files))

    async def _settle(self, files: Iterable[str]) -> list[int]:
        """One that cannot be read or written keeps no other from it; that is told in the end."""
        refused, failure = list[int](), None
        for file in files:
            try:
                refused += await self._level(file)
            except MemdError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return refused

    async def _level(self, file: str) -> list[int]:
        try:
            self.places.path(file)
        except Conflict:  # it follows once it has a place again
            return await self._db.read(memory_edit.owed, file)
        refused: list[int] = []
        edit = await self._db.read(memory_edit.pending, file)
        while True:
            if edit is not None:
                written = await asyncio.to_thread(self._write, edit)
                await self._db.write(memory_edit.end, edit, written=written)
            if not await self._db.read(memory_edit.owed, file):
                return refused
            edit, some = await self._db.write(memory_edit.plan, file, await self.read(file))
            for number in some:
                _log.warning("curated_file_changed", proposal=number)
            refused += some

    def _write(self, edit: Edit) -> bool:
        """Write the file where it is what the edit was made for, or is written already."""
        there = memory_edit.fingerprint(curated_file.read(self.places.path(edit.file)))
        if there == edit.before:
            curated_file.replace(self.places.to_write(edit.file), edit.after)
        return there in (edit.before, memory_edit.fingerprint(edit.after))

    def _require_writable(self, file: str) -> None:
        curated_file.require_writable(self.places.to_write(file))
