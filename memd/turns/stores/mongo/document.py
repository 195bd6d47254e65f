"""A turn as a document of MongoDB, and back. What a caller gives is data there: no key or value of it is an operator.

Times are microseconds since 1970, as MongoDB's own end at the millisecond. Metadata is the text of its JSON, so that
no key of it is read as an operator or a path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import orjson

from memd.turns.store import MemoryItem, Scope
from memd.turns.stores import words
from memd.turns.stores.mongo.driver import Document

LARGEST = 14_000_000  # bytes of a text, as a document of MongoDB holds 16 MB with all that is in it
MOST_WORDS = 50_000  # of a text
_TOLD = "role content seq at_us updated_us user_id agent_id run_id metadata"
TOLD = dict.fromkeys(_TOLD.split(), 1)  # of a document, to tell the turn: all but what the indexes need
THREAD = 32  # characters, at the beginning of the places of turns of the same user, agent and run
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE_YEAR_1 = 62_135_596_800_000_000  # microseconds from then to 1970: places have no sign
_DAY_US = 86_400_000_000


def microseconds(moment: datetime) -> int:
    """UTC microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(at_us: object) -> datetime:
    """The time that microseconds stand for, in UTC."""
    return _EPOCH + timedelta(microseconds=number(at_us))


def condition(
    scope: Scope, since: datetime | None = None, until: datetime | None = None
) -> dict[str, object]:
    """Which turns a scope and a time window mean."""
    ids = (("user_id", scope.user_id), ("agent_id", scope.agent_id), ("run_id", scope.run_id))
    bounds = (("$gte", since), ("$lt", until))
    window = {order: microseconds(at) for order, at in bounds if at is not None}
    named: dict[str, object] = {name: {"$eq": value} for name, value in ids if value is not None}
    return named | ({"at_us": window} if window else {})


def identified(item_id: object) -> dict[str, object]:
    """The turn with an id. ValueError for an id that is no text."""
    return {"_id": {"$eq": _text("id", item_id)}}


def document(one: MemoryItem) -> dict[str, object]:
    """A turn as it is stored, but for its number. ValueError for an id that is no text, or metadata that is no JSON."""
    ids = {name: _text(name, getattr(one, name)) for name in ("user_id", "agent_id", "run_id")}
    return {
        "_id": _text("id", one.id),
        "role": _text("role", one.role),
        **content(one.content),
        "at_us": microseconds(one.created_at),
        "updated_us": None if one.updated_at is None else microseconds(one.updated_at),
        **ids,
        "metadata": metadata(one.metadata),
    }


def numbered(told: Document, seq: int) -> dict[str, object]:
    """The document with its number, and what orders and groups it by that."""
    ids = [told["user_id"], told["agent_id"], told["run_id"]]
    thread = hashlib.sha256(orjson.dumps(ids)).hexdigest()[:THREAD]
    at_us = number(told["at_us"])
    day = "" if told["run_id"] is not None else (at_us + _SINCE_YEAR_1) // _DAY_US
    return {**told, "seq": seq, "place": f"{placed(thread, at_us)}{seq:020}", "span": f"{thread}{day}"}


def placed(thread: str, at_us: int) -> str:
    """How the places of the turns of a thread begin that are of a time; they stand in the order of the turns."""
    return f"{thread}{at_us + _SINCE_YEAR_1:020}"


def content(text: str) -> dict[str, object]:
    """A text with its size and its words: each once, and their stems as often as they stand there.

    ValueError for a text that is too large.
    """
    size = len(text.encode())
    if size > LARGEST:
        raise ValueError(f"the text has {size:,} bytes; a document of MongoDB can hold {LARGEST:,} of one")
    told = words.phrase(text)
    stems = [stem for word in told if (stem := words.stem(word))]
    return {"content": text, "size": size, "words": [*dict.fromkeys(told), *stems][:MOST_WORDS]}


def metadata(given: Mapping[str, object]) -> str:
    """The text of metadata. ValueError for what JSON cannot hold."""
    try:
        return orjson.dumps(dict(given)).decode()
    except TypeError as error:
        raise ValueError(f"metadata must be what JSON can hold: {error}") from None


def item(found: Document) -> MemoryItem:
    """The turn in a document."""
    return MemoryItem(
        id=str(found["_id"]),
        role=str(found["role"]),
        content=str(found.get("content", "")),
        created_at=moment(found["at_us"]),
        seq=number(found["seq"]),
        user_id=name(found["user_id"]),
        agent_id=name(found["agent_id"]),
        run_id=name(found["run_id"]),
        metadata=orjson.loads(str(found["metadata"])),
        updated_at=None if found["updated_us"] is None else moment(found["updated_us"]),
    )


def number(value: object) -> int:
    """A number of a document; 0, which no seq is, where there is none."""
    return value if isinstance(value, int) else 0


def name(value: object) -> str | None:
    """An id of a document."""
    return None if value is None else str(value)


def _text(name: str, value: object) -> str | None:
    if value is None and name != "id":
        return None
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; it must be a text")
    return value
