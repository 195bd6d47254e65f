"""The only import of psycopg: connections to PostgreSQL, their pool, and its errors as memd's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import RLock

from memd.errors import Busy, ConfigError, StorageFailed
from memd.text.addresses import scrubbed

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError:
    raise ConfigError(
        "a store in PostgreSQL needs psycopg, which is not installed; install memd[postgres]"
    ) from None

Row = tuple[object, ...]
Connection = psycopg.Connection[Row]
Pool = ConnectionPool[Connection]
UniqueViolation = psycopg.errors.UniqueViolation

CONNECT_SECONDS = 10


Lending = Callable[[], AbstractContextManager[Connection]]


def run(connection: Connection, statement: str, values: Sequence[object] | None = ()) -> psycopg.Cursor[Row]:
    """The rows of a statement; what is not written by us is among the values, and planned for."""
    return connection.execute(statement.encode(), values, prepare=False)


def opened(conninfo: str, max_size: int) -> Pool:
    """A pool of connections to a database.

    ValueError for an address that cannot be read, StorageFailed where nobody answers there.
    """
    try:
        given = conninfo_to_dict(conninfo)
    except psycopg.Error as error:
        raise ValueError(f"the address of the database cannot be read: {scrubbed(str(error))}") from None
    patience = {} if "connect_timeout" in given else {"connect_timeout": CONNECT_SECONDS}
    address = make_conninfo(conninfo, **patience)
    with translated():
        psycopg.connect(address).close()  # a pool would try again and again, and not say what is wrong
    return Pool(
        address,
        min_size=0,
        max_size=max_size,
        open=True,
        timeout=CONNECT_SECONDS,
        check=Pool.check_connection,
    )


def lending(source: object) -> Lending:
    """How to borrow a connection that is this thread's alone for so long. ValueError for what lends none."""
    if isinstance(source, ConnectionPool):
        return lambda: _autocommitting(source)
    if not isinstance(source, psycopg.Connection) or not source.autocommit:
        raise ValueError(
            "give the address of a database, a ConnectionPool, or a Connection in autocommit mode"
        )
    lock = RLock()

    @contextmanager
    def alone() -> Iterator[Connection]:
        with lock:
            yield source

    return alone


@contextmanager
def _autocommitting(pool: Pool) -> Iterator[Connection]:
    """A connection of a pool, and as it was when it goes back."""
    with pool.connection() as connection:
        before = connection.autocommit
        connection.autocommit = True  # each statement by itself, unless a transaction is asked for
        try:
            yield connection
        finally:
            connection.autocommit = before


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the database says into errors of memd: Busy where a repeat may help, else what is wrong."""
    try:
        yield
    except (PoolTimeout, psycopg.errors.QueryCanceled, psycopg.errors.DeadlockDetected) as error:
        raise Busy(f"the database does not answer in time; try again: {scrubbed(_said(error))}") from None
    except psycopg.DataError as error:
        raise ValueError(f"the database cannot hold this: {scrubbed(_said(error))}") from None
    except psycopg.Error as error:
        raise StorageFailed(f"the database failed: {scrubbed(_said(error))}") from None


def _said(error: Exception) -> str:
    return " ".join(str(error).split())
