"""Changes of the curated file: each a transaction with an edit written down in it, then the file, then the edit's end.

A kill in between is made good by ``settle`` at the next start. One change at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import structlog

from memd.db.database import Database
from memd.db.driver import Connection
from memd.reflection import curated_file, memory_edit
from memd.reflection.memory_edit import Edit

T = TypeVar("T")

_log = structlog.get_logger("memd.reflection")


class CuratedFile:
    """The curated file with the decisions that stand in the database."""

    def __init__(self, db: Database, path: Path) -> None:
        self.path = path
        self._db = db
        self._lock = asyncio.Lock()

    async def read(self) -> str:
        """What it holds now."""
        return await asyncio.to_thread(curated_file.read, self.path)

    async def change(self, work: Callable[[Connection, str], T]) -> T:
        """Do ``work`` with what the file holds, in a write, and bring the file level with what was decided there."""
        async with self._lock:
            await self._settle()
            text = await self.read()
            await asyncio.to_thread(curated_file.require_writable, self.path)
            result = await self._db.write(work, text)
            await self._settle()
            return result

    async def settle(self) -> list[int]:
        """Bring the file level with what was decided; the proposals for which its lines do not allow it."""
        async with self._lock:
            return await self._settle()

    async def _settle(self) -> list[int]:
        refused: list[int] = []
        edit = await self._db.read(memory_edit.pending)
        while True:
            if edit is not None:
                written = await asyncio.to_thread(self._write, edit)
                await self._db.write(memory_edit.end, edit, written=written)
            if not await self._db.read(memory_edit.is_owed):
                return refused
            edit, some = await self._db.write(memory_edit.plan, await self.read())
            for number in some:
                _log.warning("curated_file_changed", proposal=number)
            refused += some

    def _write(self, edit: Edit) -> bool:
        """Write the file where it is what the edit was made for, or is written already."""
        there = memory_edit.fingerprint(curated_file.read(self.path))
        if there == edit.before:
            curated_file.replace(self.path, edit.after)
        return there in (edit.before, memory_edit.fingerprint(edit.after))
