"""Connections to a database of memd, in the caller's own process.

While a daemon owns the file it alone writes: a connection only reads then, and what would write says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from memd.clock import SystemClock
from memd.config import paths
from memd.config.paths import Paths
from memd.db import driver, foreign, journal, migrate, owner
from memd.db.driver import Connection
from memd.errors import BadRequest, Busy, NotFound

T = TypeVar("T")

_clock = SystemClock()


def places() -> Paths:
    """Where everything of memd lies, as this process's environment has it."""
    return paths.resolve(os.environ)


def get_data_dir() -> Path:
    """The folder of memd's data, made where it is missing."""
    folder = places().data
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def get_db_path() -> Path:
    """Where memd's database lies; it need not be there."""
    return places().database


def ensure_schema(conn: Connection) -> None:
    """Bring the database of a connection to this version's schema; next to nothing where it is there."""
    if migrate.version(conn) != migrate.newest():
        path = Path(conn.filename)
        migrate.migrate(conn, path, path.parent / "backups")


def get_connection(db_path: Path | None = None) -> Connection:
    """A connection to a database, memd's own by default, made where it is missing. The caller closes it.

    ValueError where the file is another program's database: that is left as it is.
    """
    path = get_data_dir() / get_db_path().name if db_path is None else Path(db_path).absolute()
    with _arguments():
        foreign.refuse(path)
    if owner.of(path) is not None:
        with driver.translated():
            return driver.connect(path, write=False)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with driver.translated():
        conn = driver.connect(path, write=True)
        try:
            path.chmod(0o600)
            ensure_schema(conn)
        except BaseException:
            conn.close()
            raise
    return conn


@contextmanager
def connection(db_path: Path | None = None) -> Iterator[Connection]:
    """``get_connection``, closed at the end of the block."""
    conn = get_connection(db_path)
    try:
        yield conn
    finally:
        conn.close()


def now_ms() -> int:
    """The time that is written down."""
    return _clock.now_ms()


def write(conn: Connection, what: str, work: Callable[[], T]) -> T:
    """Do ``work`` as one change that ``memctl undo`` takes back; Busy where a daemon owns the database."""
    check_writable(conn)
    with _arguments(), driver.translated(conn), transaction(conn):
        return journal.record(conn, what, now_ms(), work)[0]


def check_writable(conn: Connection) -> None:
    """Busy where a daemon owns the database, or did when the connection was made."""
    pid = owner.of(Path(conn.filename))
    if pid is not None or conn.execute("PRAGMA query_only").get:
        who = f"a running memd (pid {pid}) owns" if pid else "a running memd owned"
        raise Busy(f"{who} {conn.filename}: write with memctl, or stop memd and open the database again")


def transaction(conn: Connection) -> AbstractContextManager[object]:
    """A transaction of its own; inside one of the caller's, a part of that."""
    return conn if conn.in_transaction else driver.transaction(conn)


@contextmanager
def _arguments() -> Iterator[None]:
    """To who calls a function, a bad argument is a ValueError."""
    try:
        yield
    except (BadRequest, NotFound) as error:
        raise ValueError(error.message) from error
