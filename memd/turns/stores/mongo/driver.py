"""The only import of pymongo: clients of MongoDB, what a server can do, and its errors as memd's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias
from urllib.parse import unquote_plus

from memd.errors import Busy, ConfigError, StorageFailed

try:
    import pymongo
    from bson.errors import InvalidDocument
    from pymongo import errors
    from pymongo.read_preferences import ReadPreference
except ImportError:
    raise ConfigError(
        "a store in MongoDB needs pymongo, which is not installed; install memd[mongo]"
    ) from None

Document = Mapping[str, object]
Client: TypeAlias = "pymongo.MongoClient[dict[str, object]]"
Database: TypeAlias = "pymongo.database.Database[dict[str, object]]"
Collection: TypeAlias = "pymongo.collection.Collection[dict[str, object]]"
Session: TypeAlias = "pymongo.client_session.ClientSession"
UpdateOne = pymongo.UpdateOne
DuplicateKeyError = errors.DuplicateKeyError

CONNECT_MS = 10_000
DATABASE = "memd"
_DATABASE_NAME = re.compile(r"[A-Za-z0-9_-]{1,63}")
_OF_THE_SERVER = ("admin", "local", "config")
_PASSWORD = re.compile(r"://[^:/?]*:(.*)@")
_OPTION = re.compile(r"(?i)(?:password|properties|token)=([^&]*)")
_TAKEN = 11000


def opened(url: str) -> Client:
    """A client for a URL; nothing is asked of the server yet. ValueError for a URL that cannot be read."""
    try:
        patience = (
            {} if "serverselectiontimeoutms" in url.lower() else {"serverSelectionTimeoutMS": CONNECT_MS}
        )
        return pymongo.MongoClient(url, **patience)  # type: ignore[arg-type]  # an option by its name
    except (errors.PyMongoError, ValueError, TypeError, OSError) as error:
        raise ValueError(f"the address of the database cannot be read: {scrubbed(str(error), url)}") from None


def database(source: object, name: str | None) -> Database:
    """The database that is meant: the named one, else that of the URL, else ``memd``. ValueError for none."""
    if isinstance(source, pymongo.database.Database):
        if name is not None:
            raise ValueError("a Database is given already; leave the name of the database out")
        found: Database = source
    elif isinstance(source, pymongo.MongoClient):
        found = source[_named(name)] if name is not None else source.get_default_database(DATABASE)
        _named(found.name)
    else:
        raise ValueError("give a mongodb:// URL, a MongoClient, or a Database")
    safe = pymongo.WriteConcern("majority", j=True)
    return found.with_options(read_preference=ReadPreference.PRIMARY, write_concern=safe)


def _named(name: object) -> str:
    if not isinstance(name, str) or not _DATABASE_NAME.fullmatch(name) or name in _OF_THE_SERVER:
        raise ValueError(
            f"database is {name!r}; it must be 1 to 63 letters, digits, '_' and '-', and none of the server's own"
        )
    return name


def transacts(database: Database) -> bool:
    """Whether the server has transactions: those of a replica set and of a sharded cluster do."""
    told = database.client.admin.command("hello")
    return "setName" in told or told.get("msg") == "isdbgrid"


@contextmanager
def translated(url: str = "") -> Iterator[None]:
    """Turn what the database says into errors of memd: Busy where a repeat may help, else what is wrong."""
    try:
        yield
    except (errors.DocumentTooLarge, errors.InvalidName, InvalidDocument, OverflowError) as error:
        raise ValueError(f"the database cannot hold this: {scrubbed(str(error), url)}") from None
    except errors.ConfigurationError as error:
        raise ValueError(f"the address of the database cannot be used: {scrubbed(str(error), url)}") from None
    except errors.ServerSelectionTimeoutError as error:
        raise StorageFailed(f"the database cannot be reached: {scrubbed(str(error), url)}") from None
    except errors.PyMongoError as error:
        kind = Busy if _may_pass(error) else StorageFailed
        raise kind(f"the database failed: {scrubbed(str(error), url)}") from None


def _may_pass(error: errors.PyMongoError) -> bool:
    return error.timeout or error.has_error_label("TransientTransactionError")


def taken(error: errors.BulkWriteError | errors.DuplicateKeyError) -> bool:
    """Whether a write failed for an id that is there already."""
    told = (error.details or {}).get("writeErrors", [error.details])
    return any(isinstance(one, Mapping) and one.get("code") == _TAKEN for one in told)


WriteRefused = (errors.BulkWriteError, errors.DuplicateKeyError)


def scrubbed(text: str, url: str) -> str:
    """What the driver says, in a line and without the secrets of a URL."""
    text = " ".join(text.split("Topology Description")[0].split())[:500]
    for secret in (*_PASSWORD.findall(url), *_OPTION.findall(url)):
        for told in {secret, unquote_plus(secret), *secret.split(":"), *secret.split("@")}:
            text = text.replace(told, "***") if len(told) > 2 else text
    return text
