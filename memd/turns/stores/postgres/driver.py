"""The only import of psycopg: connections to PostgreSQL, their pool, and its errors as memd's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import RLock
from typing import Any

from memd.errors import Busy, ConfigError, StorageFailed
from memd.text.addresses import is_encoded, scrubbed

try:
    import psycopg
    from psycopg.abc import RV, PQGen
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError:
    raise ConfigError(
        "a store in PostgreSQL needs psycopg, which is not installed; install memd[postgres]"
    ) from None

Row = tuple[object, ...]
Connection = psycopg.Connection[Row]
Pool = ConnectionPool[Connection]
Error = psycopg.Error
UniqueViolation = psycopg.errors.UniqueViolation

CONNECT_SECONDS = 10


Lending = Callable[[], AbstractContextManager[Connection]]


Values = Sequence[object] | Mapping[str, object]


def run(connection: Connection, statement: str, values: Values | None = ()) -> psycopg.Cursor[Row]:
    """The rows of a statement; what is not written by us is among the values, and planned for."""
    return connection.execute(statement.encode(), values, prepare=False)


def opened(conninfo: str, max_size: int) -> Pool:
    """A pool of connections to a database.

    ValueError for an address that cannot be read, StorageFailed where nobody answers there.
    """
    address = patient(conninfo, {"connect_timeout": CONNECT_SECONDS})
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


def patient(conninfo: str, patience: Mapping[str, int]) -> str:
    """An address with how long to wait for what, where it does not say so itself. ValueError for one that is none."""
    if not is_encoded(conninfo):
        raise ValueError(
            "the address of the database cannot be read: a name or a password in it has to be percent-encoded"
            " (@ as %40, / as %2F, % as %25, a space as %20)"
        )
    try:
        given = conninfo_to_dict(conninfo)
    except psycopg.Error as error:
        raise ValueError(f"the address of the database cannot be read: {scrubbed(_said(error))}") from None
    return make_conninfo(conninfo, **{name: value for name, value in patience.items() if name not in given})


class Silence(psycopg.OperationalError):
    """The server does not say a word."""


class Attentive(psycopg.Connection[Row]):
    """A connection that is closed with Silence when nothing comes or goes for ``patience_s``.

    Where a network swallows what is sent, or a proxy on the way stands still, nothing else would ever end the waiting:
    the system tells of a lost connection only where the machine at its other end is lost.
    """

    patience_s = 12.0

    def wait(self, gen: PQGen[RV], *more: Any, **given: Any) -> RV:
        return super().wait(self._attended(gen), *more, **given)

    def _attended(self, gen: PQGen[RV]) -> PQGen[RV]:
        heard = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() - heard > self.patience_s:
                    self.close()
                    raise Silence(f"nothing was heard of it for {self.patience_s:g} s")
                wanted = gen.send(ready)
        except StopIteration as done:
            value: RV = done.value
            return value


def connected(address: str) -> Attentive:
    """A new connection, each statement by itself unless a transaction is asked for."""
    return Attentive.connect(address, autocommit=True)


def is_at_rest(connection: Attentive) -> bool:
    """True of a connection that is open and in no transaction."""
    return connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


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


_BUSY = (
    PoolTimeout,
    Silence,
    psycopg.errors.QueryCanceled,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.LockNotAvailable,
)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the database says into errors of memd: Busy where a repeat may help, else what is wrong."""
    try:
        yield
    except _BUSY as error:
        raise Busy(f"the database does not answer in time; try again: {scrubbed(_said(error))}") from None
    except psycopg.DataError as error:
        raise ValueError(f"the database cannot hold this: {scrubbed(_said(error))}") from None
    except psycopg.Error as error:
        raise StorageFailed(f"the database failed: {scrubbed(_said(error))}") from None


def _said(error: Exception) -> str:
    return " ".join(str(error).split())
