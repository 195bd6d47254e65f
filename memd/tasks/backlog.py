"""Works the backlogs of a vector space off, newest texts first, whatever they do to the model.

A text that makes the model raise is found by halving its batch. A text over which memd itself ends is found the same
way, over several starts: what is in flight stands in the job, so the next start knows which texts were, tries the rest
first, and those in ever smaller company. Only one that memd ended over three times while it was alone is set aside; a
death that came from outside costs nothing but the second try.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from memd.db import token_signs
from memd.db.database import Database
from memd.db.driver import Connection
from memd.db.vector_tables import TEXTS, VectorTable
from memd.jobs import attempts, table
from memd.jobs.job import Job
from memd.providers.embedding.base import Embedded, Embedder, ModelUnavailable
from memd.services import Governor, InUse
from memd.tasks.rate import Rate
from memd.turns import spaces, suspects
from memd.turns import table as turns

_log = structlog.get_logger("memd.embedding")

BATCH_TEXTS = 64
BATCH_CHARS = 8_000
CALL_CHARS = 2_000
ADDED_TEXTS = 16
TRY_SECONDS = 30.0  # until the next look whether there is a model

Row = tuple[int, str]
Made = tuple[int, list[bytes], Sequence[bytes]]  # a text's row, its vectors, the signs of its tokens


class Backlog:
    """The backlogs of one space, of those tables; their texts are embedded on the thread that is handed in."""

    def __init__(
        self,
        db: Database,
        used: InUse,
        thread: ThreadPoolExecutor,
        rate: Rate,
        governor: Governor,
        tables: Sequence[VectorTable],
    ) -> None:
        self._db, self._embedder, self._space = db, used.embedder, used.space
        self._thread, self._rate, self._governor, self._tables = thread, rate, governor, tables

    async def work_off(self, job: Job) -> int:
        """Embed until nothing is left; how many texts. Raises ModelUnavailable where there is no model."""
        if TEXTS in self._tables:
            while await self._db.read(spaces.unqueued, self._space):
                await self._db.write(turns.queue_vectors)
        if job.in_flight:
            for said in await self._db.write(self._blame, job):
                _log.warning("text_set_aside", text=said, why=suspects.WHY)
        return sum([await self._work_off(job, of) for of in self._tables])

    async def _work_off(self, job: Job, of: VectorTable) -> int:
        careful = await self._must_be_careful(job, of)
        done = 0
        while rows := await self._next(of, CALL_CHARS if careful else BATCH_CHARS):
            if careful:
                await self._db.write(table.note_in_flight, job, {of.name: [owner for owner, _ in rows]})
            begun = time.monotonic()
            await self._embed(of, rows)
            self._rate.add(len(rows), time.monotonic() - begun)
            done += len(rows)
        return done

    async def add_tokens(self, job: Job) -> int:
        """Signs of tokens for texts that have vectors alone, as long as no text waits for its vectors."""
        done = 0
        died = await self._db.read(attempts.kills, job.id) > 0
        while self._embedder.tokens and not await self._db.read(spaces.is_behind, self._space, self._tables):
            rows = await self._db.read(token_signs.older, self._space, 1 if died else ADDED_TEXTS)
            if not rows:
                break
            if died:  # maybe over the next of them: what has vectors is found without signs as well
                await self._db.write(token_signs.pass_over, self._space, rows[0][0])
            made = await self._again([(owner, text) for _, owner, text in rows])
            await self._db.write(self._add, made, rows[-1][0])
            done += len(rows)
        return done

    async def _again(self, rows: Sequence[Row]) -> list[Made]:
        """Of texts that the model took once; one that it does not take any more keeps what it has."""
        made: list[Made] = []
        for row in rows:
            try:
                made += await self._vectors([row])
            except ModelUnavailable:
                raise
            except Exception as error:
                _log.warning("text_without_tokens", why=type(error).__name__)
        return made

    def _add(self, connection: Connection, made: Sequence[Made], vector: int) -> None:
        token_signs.put(connection, self._space, [(owner, signs) for owner, _, signs in made])
        token_signs.pass_over(connection, self._space, vector)

    async def _must_be_careful(self, job: Job, of: VectorTable) -> bool:
        """Whether memd ended over this job, or over texts that still wait."""
        careful = bool(
            await self._db.read(attempts.kills, job.id)
            or await self._db.read(suspects.next_of, self._space, of)
        )
        if careful:
            await self._probe()  # the model loads before any text can be blamed for it
        return careful

    def _blame(self, connection: Connection, job: Job) -> Sequence[str]:
        table.note_in_flight(connection, job, {})  # once for each death
        return [
            said
            for of in self._tables
            if of.name in job.in_flight
            for said in suspects.blame(connection, self._space, job.in_flight[of.name], of)
        ]

    async def _next(self, of: VectorTable, chars: int) -> Sequence[Row]:
        if rows := await self._db.read(spaces.waiting, self._space, BATCH_TEXTS, of):
            return _first(rows, chars)
        return await self._db.read(suspects.next_of, self._space, of)

    async def _embed(self, of: VectorTable, rows: Sequence[Row]) -> None:
        """Vectors for the rows; where the model chokes, halve the batch until the one is found, and set it aside."""
        try:
            vectors = await self._vectors(rows)
        except ModelUnavailable:
            raise
        except Exception as error:
            if len(rows) > 1:
                half = len(rows) // 2
                await self._embed(of, rows[:half])
                await self._embed(of, rows[half:])
            else:
                await self._set_aside(of, rows[0], type(error).__name__)
            return
        await self._db.write(self._put, of, vectors)

    def _put(self, connection: Connection, of: VectorTable, made: Sequence[Made]) -> None:
        spaces.put(connection, self._space, [(owner, vectors) for owner, vectors, _ in made], of)
        if of is TEXTS:
            token_signs.put(connection, self._space, [(owner, signs) for owner, _, signs in made])

    async def _set_aside(self, of: VectorTable, row: Row, why: str) -> None:
        await self._probe()  # raises where it is the model that is broken, not the text
        said = await self._db.write(spaces.set_aside, self._space, row[0], why, of)
        _log.warning("text_set_aside", text=said, why=why)

    async def _probe(self) -> None:
        await self._vectors([(0, "a")])

    async def _vectors(self, rows: Sequence[Row]) -> list[Made]:
        """A few texts at a time, so that a stop or a question never waits long."""
        vectors: list[Made] = []
        left = list(rows)
        while left:
            few = _first(left, CALL_CHARS)
            left = left[len(few) :]
            loop = asyncio.get_running_loop()
            found, cpu_s = await loop.run_in_executor(self._thread, _blobs, self._embedder, few)
            vectors += found
            await self._governor.turn(cpu_s)
        return vectors


def _blobs(embedder: Embedder, rows: Sequence[Row]) -> tuple[list[Made], float]:
    """The vectors, and how much processor time they took."""
    from memd.providers.embedding.quantise import to_blobs

    began = time.thread_time()
    found = _embedded(embedder, [text for _, text in rows])
    made: list[Made] = [
        (owner, to_blobs(one.windows), one.tokens) for (owner, _), one in zip(rows, found, strict=True)
    ]
    return made, time.thread_time() - began


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
    if embedder.tokens:
        return embedder.tokens.embed_with_tokens(texts)
    return [Embedded(windows, ()) for windows in embedder.embed_documents(texts)]


def _first(rows: Sequence[Row], chars: int) -> list[Row]:
    """As many rows as hold so many characters, one at least."""
    taken: list[Row] = []
    for row in rows:
        if taken and chars < len(row[1]):
            break
        taken.append(row)
        chars -= len(row[1])
    return taken
