"""What is written to and read from a collection of turns in MongoDB: turns in, turns out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from memd.turns.store import MemoryItem
from memd.turns.stores.mongo import document, driver, schema
from memd.turns.stores.mongo.driver import Collection, Session

MOST = 500  # turns of a batch
MOST_BYTES = 4_000_000  # of their texts
OLDEST_FIRST = [("at_us", 1), ("seq", 1)]


def add(turns: Collection, items: Sequence[MemoryItem], *, transacts: bool) -> None:
    """Store turns, all or none. ValueError for an id that is there already, or twice among them."""
    if not items:
        return
    ids = [one.id for one in items]
    documents = [document.document(one) for one in items]
    if taken := known(turns, ids) | {id for id, n in Counter(ids).items() if n > 1}:
        raise ValueError(f"there is a turn {min(taken)!r} already; nothing was added")
    seqs = _numbers(turns, len(items))
    told = [document.numbered(one, seq) for one, seq in zip(documents, seqs, strict=True)]
    try:
        if transacts:
            _in_transaction(turns, told)
        else:
            _or_undone(turns, told, seqs)
    except driver.WriteRefused as error:
        if not driver.taken(error):
            raise
        raise ValueError(
            "one of these turns was added by somebody else meanwhile; nothing was added"
        ) from None


def _numbers(turns: Collection, count: int) -> range:
    """So many numbers that no other turn has or will have, later ones greater."""
    counter = schema.meta(turns.database, turns.name)
    before = counter.find_one_and_update({"_id": "seq"}, {"$inc": {"value": count}}, upsert=True)
    first = document.number(before and before.get("value")) + 1
    return range(first, first + count)


def _in_transaction(turns: Collection, documents: Sequence[dict[str, object]]) -> None:
    def write(session: Session) -> None:
        for batch in _batches(documents):
            turns.insert_many(batch, session=session)

    with turns.database.client.start_session() as session:
        session.with_transaction(write)


def _or_undone(turns: Collection, documents: Sequence[dict[str, object]], seqs: range) -> None:
    try:
        for batch in _batches(documents):
            turns.insert_many(batch)
    except BaseException:
        turns.delete_many({"seq": {"$gte": seqs.start, "$lt": seqs.stop}})
        raise


def _batches(documents: Iterable[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    batch: list[dict[str, object]] = []
    size = 0
    for one in documents:
        size += document.number(one["size"])
        if batch and (len(batch) >= MOST or size > MOST_BYTES):
            yield batch
            batch, size = [], document.number(one["size"])
        batch.append(one)
    if batch:
        yield batch


def known(turns: Collection, ids: Sequence[str]) -> set[str]:
    """Those of the ids that are stored."""
    return {str(one["_id"]) for one in turns.find({"_id": {"$in": list(ids)}}, {"_id": 1})}


def get(turns: Collection, item_id: str) -> MemoryItem | None:
    """One turn."""
    found = turns.find_one(document.identified(item_id), document.TOLD)
    return None if found is None else document.item(found)


def find(turns: Collection, which: Mapping[str, object], *, text: bool = True) -> list[MemoryItem]:
    """The turns of a condition, oldest first, ties as they were added."""
    told = {name: 1 for name in document.TOLD if text or name != "content"}
    return [document.item(one) for one in turns.find(which, told, sort=OLDEST_FIRST)]


def at(turns: Collection, seqs: Iterable[int]) -> dict[int, MemoryItem]:
    """The turns with these numbers; one that was deleted meanwhile is left out."""
    return {one.seq: one for one in find(turns, {"seq": {"$in": list(seqs)}})}


def update(
    turns: Collection, item_id: str, content: str | None, metadata: Mapping[str, object] | None
) -> None:
    """Give a turn another text or metadata, and note when."""
    changes: dict[str, object] = {"updated_us": document.microseconds(datetime.now(UTC))}
    if content is not None:
        changes |= document.content(content)
    if metadata is not None:
        changes["metadata"] = document.metadata(metadata)
    turns.update_one(document.identified(item_id), {"$set": changes})
