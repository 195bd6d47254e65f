"""SQLite, as memd uses it: the only file that imports APSW.

APSW brings its own SQLite, the same new version on every machine, and can load extensions where the Python that
runs us often cannot. ``connect`` gives a connection with memd's pragmas; ``Capabilities`` says what it can do.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import apsw

from memd.errors import Busy, CannotCreate, Damaged, HistoryImportError, MemdError, StorageFailed, Timeout

Connection = apsw.Connection

# For changesets (memd/db/changesets.py).
Session = apsw.Session
Changeset = apsw.Changeset
ChangesetBuilder = apsw.ChangesetBuilder
TableChange = apsw.TableChange
Corrupt = apsw.CorruptError
FOREIGN_KEY = apsw.SQLITE_CHANGESET_FOREIGN_KEY
OMIT = apsw.SQLITE_CHANGESET_OMIT
NO_ACTION = apsw.SQLITE_CHANGESETAPPLY_FKNOACTION

Value = None | int | float | str | bytes
Row = tuple[Value, ...]

BUSY_MS = 10_000
READERS_MS = 1_000
COPY_PAGES = 1_024
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(MemdError):
    """There is no space left for the database."""

    code = "degraded"
    counted = False
    transient = True


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this SQLite can do. ``vec`` is the version of sqlite-vec, or None with ``vec_problem`` saying why."""

    sqlite: str
    vec: str | None
    vec_problem: str | None


def connect(path: Path, *, write: bool, cache_kib: int = 4_000) -> Connection:
    """A connection to the database at ``path``; one that only reads cannot write by accident."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    run = connection.execute
    run("PRAGMA journal_mode=WAL")
    run("PRAGMA synchronous=FULL")
    run("PRAGMA fullfsync=ON")
    run("PRAGMA checkpoint_fullfsync=ON")
    run("PRAGMA foreign_keys=ON")
    run("PRAGMA secure_delete=ON")
    run("PRAGMA temp_store=MEMORY")
    run(f"PRAGMA cache_size=-{cache_kib}")
    run("PRAGMA journal_size_limit=67108864")
    if not write:
        run("PRAGMA query_only=ON")
    _load_vec(connection)
    return connection


def filling(path: Path) -> Connection:
    """A connection that fills a new file at once, with no way back: it counts only once it is whole."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    return connection


def close(connection: Connection) -> None:
    """Close it; what cannot be written any more does not hold up the end."""
    try:
        connection.close()
    except apsw.Error:
        pass  # the commits stand in the WAL


def capabilities(connection: Connection) -> Capabilities:
    """What the connection can do, found by asking it."""
    problem = _load_vec(connection)
    version = None if problem else str(connection.execute("SELECT vec_version()").get)
    return Capabilities(apsw.sqlite_lib_version(), version, problem)


def has_vec(connection: Connection) -> bool:
    """True where sqlite-vec is loaded into the connection."""
    try:
        connection.execute("SELECT vec_version()")
    except apsw.SQLError:
        return False
    return True


def _load_vec(connection: Connection) -> str | None:
    """Load sqlite-vec; the reason where it does not load."""
    if os.environ.get("MEMD_WITHOUT_SQLITE_VEC"):
        return "switched off by MEMD_WITHOUT_SQLITE_VEC"
    # Its Python side would bring numpy and the standard library's SQLite along: 14 MB for a path.
    package = importlib.util.find_spec("sqlite_vec")
    if package is None or package.origin is None:
        return "sqlite-vec is not installed"
    try:
        connection.enable_load_extension(True)
        connection.load_extension(str(Path(package.origin).with_name("vec0")))
        connection.enable_load_extension(False)
    except (OSError, AttributeError, apsw.Error) as problem:
        return f"{type(problem).__name__}: {problem}"
    return None


def number(value: Value) -> int:
    """A column that holds a whole number."""
    if not isinstance(value, int):
        raise TypeError(f"a number was expected, not {type(value).__name__}")
    return value


def blob(value: Value) -> bytes:
    """A column that holds bytes."""
    if not isinstance(value, bytes):
        raise TypeError(f"bytes were expected, not {type(value).__name__}")
    return value


def pairs(connection: Connection, query: str) -> dict[str, int]:
    """A query's (name, number) rows as a mapping."""
    return {str(name): number(count) for name, count in connection.execute(query)}


@contextmanager
def translated(connection: Connection | None = None) -> Iterator[None]:
    """Turn APSW's errors into ours, once, at this edge."""
    try:
        yield
    except apsw.InterruptError as error:
        raise Timeout("the query took longer than it may") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy("another program holds the database; memd waits for it") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(str(error)) from error
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        raise CannotCreate(f"the database cannot be opened for writing: {error}") from error
    except (apsw.FullError, apsw.IOError) as error:
        if _no_space(error, connection):
            raise DiskFull("no space left for the database; free some, memd goes on by itself") from error
        raise StorageFailed(f"the disk under the database fails: {error}") from error


def damaged(found: str) -> Damaged:
    """The error that says so, and what to do."""
    return Damaged(
        f"the database is damaged ({found}); start memd again: it salvages what can be read", detail=found
    )


def _no_space(error: apsw.Error, connection: Connection | None) -> bool:
    """SQLite knows a full disk from a failing one at most calls, and a used-up quota at none."""
    if isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return True
    return connection is not None and connection.system_errno in NO_SPACE


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """One ``BEGIN IMMEDIATE`` … ``COMMIT``; rolled back where the block raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def shrink(connection: Connection) -> None:
    """Give back what the connection's cache holds."""
    connection.execute("PRAGMA shrink_memory")


def empty_wal(connection: Connection) -> bool:
    """Move the WAL's pages into the database and cut it to nothing; False where a reader does not let go of it."""
    connection.set_busy_timeout(READERS_MS)
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
    finally:
        connection.set_busy_timeout(BUSY_MS)
    return not busy


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """All reads of the block see one state of the database."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def deadline(connection: Connection, seconds: float) -> Iterator[None]:
    """Interrupt whatever runs on the connection once the time is over."""
    end = time.monotonic() + seconds
    with until(connection, lambda: time.monotonic() > end):
        yield


@contextmanager
def until(connection: Connection, over: Callable[[], bool]) -> Iterator[None]:
    """Interrupt whatever runs on the connection once ``over`` says so."""
    connection.set_progress_handler(over, 20_000)
    try:
        yield
    finally:
        connection.set_progress_handler(None)


def copy(source: Connection, target: Path, step: Callable[[int, int], None]) -> None:
    """Copy every page to the file at ``target``, which needs no WAL then; ``step`` hears the pages done, and all.

    Where the source is inside a read transaction others may write meanwhile, and the copy is of that one moment.
    """
    into = apsw.Connection(str(target))
    try:
        with into.backup("main", source, "main") as work:
            while not work.done:
                work.step(COPY_PAGES)
                step(work.page_count - work.remaining, work.page_count)
        into.execute("PRAGMA journal_mode=DELETE")
    finally:
        into.close()


@contextmanager
def looking(path: Path) -> Iterator[Connection]:
    """Our database at ``path`` as it was left: damaged, or newer than this program. A WAL that lies there stays.

    Without the code of the text index, whose own check takes longer than that of all pages.
    """
    has_wal = path.with_name(path.name + "-wal").exists()
    with translated():
        connection = apsw.Connection(str(path))
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_wal)
            connection.set_busy_timeout(BUSY_MS)
            connection.drop_modules(None)
            with translated(connection):
                yield connection
        finally:
            close(connection)


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """The database at ``path``, another one than ours, for a look that changes nothing of it."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def foreign(path: Path) -> Iterator[Connection]:
    """The database of another program, to read from and to trust in nothing; HistoryImportError where it is unsound.

    Without a WAL beside it nobody writes to it, and it is read without a lock, so that no file appears beside it. Where
    somebody began to, what was read may be of two states, and is not to be used.
    """
    wal = path.with_name(path.name + "-wal")
    has_wal, before = wal.exists(), _state(path)
    uri = f"file:{quote(bytes(path))}?mode=ro{'' if has_wal else '&immutable=1'}"
    try:
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.set_busy_timeout(BUSY_MS)
            connection.execute("PRAGMA query_only=ON")
            connection.execute("PRAGMA cell_size_check=ON")
            yield connection
            if not has_wal and (wal.exists() or _state(path) != before):
                raise HistoryImportError(
                    "its own program wrote to it while it was read: it is to be read again"
                )
        finally:
            close(connection)
    except apsw.Error as error:
        raise HistoryImportError(f"SQLite cannot read it: {error}") from None


def _state(path: Path) -> tuple[int, int, int] | None:
    """By what a change of a file shows; None where none is there."""
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


@contextmanager
def peeking(path: Path) -> Iterator[Connection]:
    """The database at ``path``, whosever it is, for a look that leaves no trace of itself beside it either."""
    if path.with_name(path.name + "-wal").exists():
        with looking(path) as connection:
            yield connection
        return
    with translated():
        connection = apsw.Connection(
            f"{path.absolute().as_uri()}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        try:
            yield connection
        finally:
            connection.close()


def unsound(path: Path, over: Callable[[], bool]) -> str:
    """What an integrity check finds wrong with the database at ``path``; nothing where it is sound."""
    with reading(path) as connection, until(connection, over):
        found = str(connection.execute("PRAGMA integrity_check(1)").get)
    return "" if found == "ok" else found
