"""Proposals of kinds that need no person: applied as a person would, each a change of its own that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.reflection import decide, proposal_table
from memd.reflection.memory_md import Conflict
from memd.services import Embedding
from memd.tasks import meanings
from memd.tasks.curated_files import CuratedFiles


class AutoApply:
    """Applies what a job proposed. ``ops``: the kinds of proposals; ``follow_up`` runs in each write."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        embedding: Embedding,
        files: CuratedFiles,
        ops: Collection[str],
        follow_up: Callable[[Connection], object],
    ) -> None:
        self._db, self._clock, self._embedding, self._files = db, clock, embedding, files
        self._ops, self._follow_up = ops, follow_up

    async def run(self, job: int) -> list[int]:
        """Those that were applied; one that its file does not allow stays open."""
        if not self._ops:
            return []
        waiting = await self._db.read(proposal_table.open_of_job, job, self._ops)
        return [number for number in waiting if await self._apply(number)]

    async def _apply(self, number: int) -> bool:
        meant = await meanings.of_texts(self._embedding, await self._db.read(decide.new_texts, [number]))

        def work(connection: Connection, texts: Mapping[str, str]) -> None:
            decide.applied(connection, [number], texts, meant, self._clock.now_ms())
            self._follow_up(connection)

        try:
            await self._files.change(work, await self._db.read(proposal_table.files, [number]))
        except Conflict:
            return False
        return True
