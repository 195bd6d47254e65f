"""The database: one writer thread, a few reader threads, two verbs.

``await db.write(fn, *args)`` runs ``fn(connection, *args)`` in a ``BEGIN IMMEDIATE`` of its own on the writer thread;
``await db.read(fn, *args)`` runs it on a reader thread that cannot write. Every write and every checkpoint happen on
the one writer connection (R6). ``write_now`` and ``read_now`` are the same for callers that are threads themselves.

A disk that fails is given one more try, on a new connection: a sync that failed is never simply repeated, for what the
kernel dropped then it would not write again. What cannot go on after that is told to ``on_fatal``. Work on everything
there is (``apart``) takes memory for once: ``after_apart`` may give it back.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from memd.db import check, driver
from memd.db.driver import Capabilities, Connection
from memd.errors import Busy, CannotCreate, Damaged, Fatal, MemdError, StorageFailed, Timeout

P = ParamSpec("P")
T = TypeVar("T")

Work = Callable[Concatenate[Connection, P], T]
Over = Callable[[], bool]

READ_SECONDS = 10.0
LOCK_PATIENCE = 120.0
CHECK_SECONDS = 1.0


class Database:
    """Opened by ``open``; every connection belongs to the thread that made it, and none crosses a fork."""

    def __init__(self, path: Path, *, readers: int = 2) -> None:
        self.path = path
        self.last_write_at = time.monotonic()
        self.on_fatal: Callable[[Fatal], None] = lambda error: None
        self.after_apart: Callable[[], None] = lambda: None
        self._writer = ThreadPoolExecutor(1, "memd-writer")
        self._readers = ThreadPoolExecutor(readers, "memd-reader", initializer=self._prepare_reader)
        self._apart = ThreadPoolExecutor(1, "memd-apart")
        self._local = threading.local()
        self._opened: list[Connection] = []
        self._write_connection: Connection | None = None
        self._closing = threading.Event()

    def open(self, prepare: Callable[[Connection], None] | None = None) -> Capabilities:
        """Open the writer's connection, let ``prepare`` migrate it, and say what SQLite can do."""
        return self._writer.submit(self._open_writer, prepare).result()

    def _open_writer(self, prepare: Callable[[Connection], None] | None) -> Capabilities:
        with driver.translated():
            connection = driver.connect(self.path, write=True, cache_kib=8_000)
            self._opened.append(connection)
            if prepare:
                prepare(connection)
            self._write_connection = connection
            return driver.capabilities(connection)

    def _prepare_reader(self) -> None:
        self._local.connection = None

    # the two verbs --------------------------------------------------------------------------------

    async def write(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``work`` once its transaction is durable."""
        return await asyncio.wrap_future(self.submit_write(work, *args, **kwargs))

    async def read(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``work`` on a snapshot; Timeout after ten seconds."""
        return await asyncio.wrap_future(self._readers.submit(self._read, lambda c: work(c, *args, **kwargs)))

    def write_now(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``write`` for a thread: it waits."""
        return self.submit_write(work, *args, **kwargs).result()

    def read_now(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``read`` for a thread: it waits."""
        return self._readers.submit(self._read, lambda c: work(c, *args, **kwargs)).result()

    def submit_write(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hand ``work`` to the writer thread and go on; writes run in the order they were handed in."""
        return self._writer.submit(self._write, lambda c: work(c, *args, **kwargs))

    async def outside(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``work`` on the writer's connection without a transaction: for VACUUM, checkpoints, checks, backups."""
        return await asyncio.wrap_future(
            self._writer.submit(self._outside, lambda c: work(c, *args, **kwargs))
        )

    async def apart(self, work: Callable[[Connection, Over], T]) -> T:
        """``work`` on a snapshot, on a thread and a connection of its own: for checks and copies of everything.

        Neither reads nor writes wait for it, and it has no deadline. ``work`` is interrupted when its caller is
        cancelled or the database closes, and is handed the question whether that is so.
        """
        off = threading.Event()
        try:
            return await asyncio.wrap_future(self._apart.submit(self._run_apart, work, off))
        finally:
            off.set()

    # on the threads -------------------------------------------------------------------------------

    def _write(self, work: Callable[[Connection], T]) -> T:
        give_up = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                result = self._twice(lambda: self._transact(work), self._reopen_writer)
            except Busy:
                # Another program holds the file: nothing accepted is dropped, so ask again.
                if self._closing.is_set() or time.monotonic() > give_up:
                    raise
            else:
                self.last_write_at = time.monotonic()
                return result

    def _transact(self, work: Callable[[Connection], T]) -> T:
        connection = self._writing()
        with driver.translated(connection), driver.transaction(connection):
            return work(connection)

    def _outside(self, work: Callable[[Connection], T]) -> T:
        connection = self._writing()
        with driver.translated(connection):
            result = work(connection)
        self.last_write_at = time.monotonic()
        return result

    def _read(self, work: Callable[[Connection], T]) -> T:
        return self._twice(lambda: self._look(work), self._drop_reader)

    def _look(self, work: Callable[[Connection], T]) -> T:
        connection = self._reading()
        with (
            driver.translated(connection),
            driver.deadline(connection, READ_SECONDS),
            driver.snapshot(connection),  # one for all statements of the read
        ):
            return work(connection)

    def _twice(self, run: Callable[[], T], renew: Callable[[], None]) -> T:
        """What ``run`` gives, at the second try on a new connection where the disk fails the first."""
        try:
            try:
                return run()
            except StorageFailed:
                renew()
                return run()
        except (Damaged, StorageFailed) as error:
            self.on_fatal(error)
            raise

    def _reopen_writer(self) -> None:
        """A new connection, and one look whether the failure did harm."""
        failed = self._writing()
        self._open_writer(None)
        # Not before: the last one to go lets the next recover the WAL, and with it the commit that failed.
        self._close(failed)
        end = time.monotonic() + CHECK_SECONDS
        try:
            check.require_sound(self.path, lambda: time.monotonic() > end)
        except Timeout:
            pass  # as far as could be seen in the time

    def _drop_reader(self) -> None:
        self._close(self._reading())
        self._local.connection = None

    def _close(self, connection: Connection) -> None:
        self._opened.remove(connection)
        driver.close(connection)

    def _reading(self) -> Connection:
        if self._local.connection is None:
            try:
                with driver.translated():
                    self._local.connection = driver.connect(self.path, write=False)
            except CannotCreate as error:
                raise Busy("the database cannot be opened now: too many files are open") from error
            self._opened.append(self._local.connection)
        connection: Connection = self._local.connection
        return connection

    def _run_apart(self, work: Callable[[Connection, Over], T], off: threading.Event) -> T:
        def over() -> bool:
            return off.is_set() or self._closing.is_set()

        try:
            with (
                driver.translated(),
                closing(driver.connect(self.path, write=False)) as connection,
                driver.until(connection, over),
                driver.snapshot(connection),
            ):
                return work(connection, over)
        except Damaged as error:
            self.on_fatal(error)
            raise
        finally:
            self.after_apart()

    def _writing(self) -> Connection:
        if self._write_connection is None:
            raise MemdError("the database is not open")
        return self._write_connection

    def close(self) -> None:
        """Finish what was handed in, checkpoint the WAL away, close every connection."""
        self._closing.set()
        for threads in (self._readers, self._apart):
            threads.shutdown(wait=True, cancel_futures=True)
        if self._write_connection is not None:
            self._writer.submit(driver.empty_wal, self._write_connection)
            self._write_connection = None
        self._writer.shutdown(wait=True)
        while self._opened:
            driver.close(self._opened.pop())
