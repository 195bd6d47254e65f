"""What belongs to a collection of turns in MongoDB: indexes, and a ``<collection>_meta`` with version and counter."""

from __future__ import annotations

import re

from memd.errors import DataUnusable, NotFound
from memd.turns.stores.mongo.driver import Collection, Database, DuplicateKeyError

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")
_INDEXES = (
    ("seq", [("seq", 1)]),
    ("user", [("user_id", 1), ("at_us", 1), ("seq", 1)]),
    ("agent", [("agent_id", 1), ("at_us", 1), ("seq", 1)]),
    ("run", [("run_id", 1), ("at_us", 1), ("seq", 1)]),
    ("place", [("place", 1)]),
    ("words", [("words", 1), ("seq", -1)]),
)


def named(collection: object) -> str:
    """The name of a collection. ValueError for any other."""
    if not isinstance(collection, str) or not _NAME.fullmatch(collection):
        raise ValueError(f"collection is {collection!r}; it must be 1 to 64 letters, digits and underscores")
    return collection


def meta(database: Database, collection: str) -> Collection:
    """Where the version of the schema and the counter that orders turns stand."""
    return database[f"{collection}_meta"]


def ensure(database: Database, collection: str, create: bool) -> None:
    """Make what is missing. DataUnusable for a collection that is not ours, or of a newer version."""
    if check(database, collection) is not None:
        return
    if not create:
        raise NotFound(f"there is no collection {collection}")
    for name, keys in _INDEXES:  # again and again without harm, also by several processes at once
        database[collection].create_index(keys, name=f"{collection}_{name}")
    for key, value in (("seq", 0), ("version", VERSION)):
        try:
            meta(database, collection).update_one(
                {"_id": key}, {"$setOnInsert": {"value": value}}, upsert=True
            )
        except DuplicateKeyError:  # another process was quicker
            pass
    check(database, collection)


def check(database: Database, collection: str) -> int | None:
    """The version of the schema; None where there is none. DataUnusable for one that is not ours, or newer."""
    empty = (
        database[collection].find_one({}, {"_id": 1}) is None
    )  # asked first: the version is there before any turn
    found = meta(database, collection).find_one({"_id": "version"})
    if found is None:
        if not empty:
            raise _foreign(collection)
        return None
    version = found.get("value")
    if not isinstance(version, int):
        raise _foreign(collection)
    if version > VERSION:
        raise DataUnusable(
            f"the collection {collection} was written by a newer memd (schema {version}, this one knows {VERSION});"
            " update memd"
        )
    return version


def _foreign(collection: str) -> DataUnusable:
    return DataUnusable(
        f"the collection {collection} is of another kind; give the store a collection of its own"
    )
