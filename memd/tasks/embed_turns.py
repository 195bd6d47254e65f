"""The job kind ``embed_turns``: works the backlog of the vector space off, newest texts first.

State is truth: the job ends when the backlog is empty, whatever asked for it. Text search never waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from memd.db.database import Database
from memd.jobs.job import Job
from memd.jobs.worker import Finished, Later, Outcome
from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.services import Troubles
from memd.turns import spaces

BATCH_TEXTS = 64
BATCH_CHARS = 20_000
CALL_CHARS = 2_000
TRY_SECONDS = 30.0

Row = tuple[int, str]


class EmbedTurns:
    """The handler, with the one thread on which documents are embedded."""

    def __init__(self, db: Database, embedder: Embedder, troubles: Troubles, space: int) -> None:
        self._db, self._embedder, self._troubles, self._space = db, embedder, troubles, space
        self._thread = ThreadPoolExecutor(1, "memd-embed")

    async def run(self, job: Job) -> Outcome:
        """Embed until nothing is left; wait where there is no model."""
        done = 0
        while rows := await self._db.read(spaces.waiting, self._space, BATCH_TEXTS):
            batch = _first(rows, BATCH_CHARS)
            try:
                await self._embed(batch)
            except ModelUnavailable as error:
                self._troubles.raise_("embedding", error.what, error.hint)
                return Later(min(TRY_SECONDS, error.retry_s), error.message)
            self._troubles.clear("embedding")
            done += len(batch)
        return Finished({"embedded": done}, left=lambda c: bool(spaces.waiting(c, self._space, 1)))

    async def _embed(self, rows: Sequence[Row]) -> None:
        """Vectors for the rows; where the model chokes, halve the batch until the one is found, and set it aside."""
        try:
            vectors = await self._vectors(rows)
        except ModelUnavailable:
            raise
        except Exception as error:
            if len(rows) == 1:
                await self._db.write(spaces.set_aside, self._space, rows[0][0], type(error).__name__)
                return
            half = len(rows) // 2
            await self._embed(rows[:half])
            await self._embed(rows[half:])
            return
        await self._db.write(spaces.put, self._space, vectors)

    async def _vectors(self, rows: Sequence[Row]) -> list[tuple[int, list[bytes]]]:
        """A few texts at a time, so that a stop or a question never waits long."""
        vectors: list[tuple[int, list[bytes]]] = []
        left = list(rows)
        while left:
            few = _first(left, CALL_CHARS)
            left = left[len(few) :]
            loop = asyncio.get_running_loop()
            vectors += await loop.run_in_executor(self._thread, _blobs, self._embedder, few)
        return vectors

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _blobs(embedder: Embedder, rows: Sequence[Row]) -> list[tuple[int, list[bytes]]]:
    from memd.providers.embedding.quantise import to_blobs

    found = embedder.embed_documents([text for _, text in rows])
    return [(content, to_blobs(windows)) for (content, _), windows in zip(rows, found, strict=True)]


def _first(rows: Sequence[Row], chars: int) -> list[Row]:
    """As many rows as hold so many characters, one at least."""
    taken: list[Row] = []
    for row in rows:
        if taken and chars < len(row[1]):
            break
        taken.append(row)
        chars -= len(row[1])
    return taken
