"""What a search asks of turns in MongoDB: those of one scope and time window, found by the indexes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memd.turns.store import Extent, Hit, MemoryItem, Scope
from memd.turns.stores import ranking, words
from memd.turns.stores.mongo import document, turns
from memd.turns.stores.mongo.document import THREAD, number
from memd.turns.stores.mongo.driver import Collection
from memd.turns.stores.mongo.ranking import WordIndex

ASKED_AT_ONCE = 100  # neighbours


class MongoView:
    """What recall asks of a scope; what is written meanwhile may be seen by later questions."""

    def __init__(
        self, collection: Collection, scope: Scope, since: datetime | None, until: datetime | None
    ) -> None:
        self._turns, self._since, self._until = collection, since, until
        self._all = document.condition(scope)
        self._in = document.condition(scope, since, until)

    def extent(self) -> Extent:
        groups = self._turns.aggregate([{"$match": self._in}, {"$group": {"_id": "$span", **_MEASURED}}])
        count = size = 0
        sessions: list[tuple[str | None, str | None, str | None, datetime]] = []
        for one in groups:
            count, size = count + number(one["turns"]), size + number(one["size"])
            ids = (document.name(one["user"]), document.name(one["agent"]), document.name(one["run"]))
            sessions += ((*ids, document.moment(one[at])) for at in ("first", "last"))
        return Extent(count, size, sessions)

    def first(self, most: int, most_bytes: int) -> list[MemoryItem] | None:
        sizes = [number(one["size"]) for one in self._turns.find(self._in, {"size": 1}, limit=most + 1)]
        return turns.find(self._turns, self._in) if len(sizes) <= most and sum(sizes) <= most_bytes else None

    def ranked(self, text: str, limit: int) -> list[Hit]:
        scores = ranking.best(WordIndex(self._turns, self._in), words.asked(text), limit)
        places = self._places({"seq": {"$in": list(scores)}})
        items = turns.at(self._turns, scores)
        before = _before(places, self._beside(places, "$lt"))
        best = sorted(items, key=lambda seq: (-scores[seq], -seq))[:limit]
        return [Hit(items[seq], scores[seq], before.get(seq)) for seq in best]

    def around(self, ids: Sequence[str]) -> Mapping[str, tuple[MemoryItem | None, MemoryItem | None]]:
        places = self._places({"_id": {"$in": list(ids)}})
        before = _before(places, self._beside(places, "$lt"))
        after = _after(places, self._beside(places, "$gt"))
        items = turns.at(self._turns, {*places, *before.values(), *after.values()})
        return {
            items[seq].id: (items.get(before.get(seq, 0)), items.get(after.get(seq, 0)))
            for seq in places
            if seq in items
        }

    def marked(self, phrases: Sequence[str], limit: int) -> list[MemoryItem]:
        asked = [words.phrase(phrase) for phrase in phrases]
        holding = [{"words": {"$all": phrase}} for phrase in asked if phrase]
        if not holding:
            return []
        newest = [("at_us", -1), ("seq", -1)]
        which = {**self._in, "role": "user", "$or": holding}
        found: list[MemoryItem] = []
        for one in self._turns.find(which, document.TOLD, sort=newest, batch_size=limit):
            if _holds(str(one["content"]), asked):
                found.append(document.item(one))
            if len(found) >= limit:
                break
        return found

    def spread(self, most: int) -> list[MemoryItem]:
        found = self._turns.find(self._in, {"_id": 0, "seq": 1, "at_us": 1}, sort=turns.OLDEST_FIRST)
        seqs = [number(one["seq"]) for one in found]
        if len(seqs) > most:
            step = (len(seqs) - 1) / max(1, most - 1)
            seqs = [seqs[round(n * step)] for n in range(most)]
        items = turns.at(self._turns, seqs)
        return [items[seq] for seq in seqs if seq in items]

    def listed(self, most: int) -> list[MemoryItem] | None:
        if self._turns.count_documents(self._all, limit=most + 1) > most:
            return None
        return turns.find(self._turns, self._all, text=False)

    def counts(self) -> tuple[int, int]:
        inside = self._turns.count_documents(self._in)
        return inside, self._turns.count_documents(self._all) - inside

    def _places(self, which: Mapping[str, object]) -> dict[int, str]:
        found = self._turns.find(which, {"_id": 0, "seq": 1, "place": 1})
        return {number(one["seq"]): str(one["place"]) for one in found}

    def _beside(self, places: Mapping[int, str], order: str) -> dict[str, int]:
        """The turns before (or after) those at the places, by their own places."""
        asked = list(places.values())
        found: dict[str, int] = {}
        for at in range(0, len(asked), ASKED_AT_ONCE):
            one, *others = [self._next(place, order) for place in asked[at : at + ASKED_AT_ONCE]]
            joined = [{"$unionWith": {"coll": self._turns.name, "pipeline": other}} for other in others]
            found |= {str(one["place"]): number(one["seq"]) for one in self._turns.aggregate([*one, *joined])}
        return found

    def _next(self, place: str, order: str) -> list[dict[str, object]]:
        thread = place[:THREAD]
        low = document.placed(thread, document.microseconds(self._since)) if self._since else thread
        high = document.placed(thread, document.microseconds(self._until)) if self._until else f"{thread}~"
        bounds = (
            {"$gte": low, "$lt": min(place, high)}
            if order == "$lt"
            else {"$gt": max(place, low), "$lt": high}
        )
        return [
            {"$match": {"place": bounds}},
            {"$sort": {"place": -1 if order == "$lt" else 1}},
            {"$limit": 1},
            {"$project": {"_id": 0, "seq": 1, "place": 1}},
        ]


_MEASURED: dict[str, object] = {
    "turns": {"$sum": 1},
    "size": {"$sum": "$size"},
    "first": {"$min": "$at_us"},
    "last": {"$max": "$at_us"},
    "user": {"$first": "$user_id"},
    "agent": {"$first": "$agent_id"},
    "run": {"$first": "$run_id"},
}


def _before(places: Mapping[int, str], found: Mapping[str, int]) -> dict[int, int]:
    """Which of the found turns comes before each: the last of its thread that stands before its place."""
    known = sorted(found)
    pairs = ((seq, place, bisect_left(known, place) - 1) for seq, place in places.items())
    return {
        seq: found[known[at]] for seq, place, at in pairs if at >= 0 and known[at][:THREAD] == place[:THREAD]
    }


def _after(places: Mapping[int, str], found: Mapping[str, int]) -> dict[int, int]:
    """Which of the found turns comes after each: the first of its thread that stands behind its place."""
    known = sorted(found)
    pairs = ((seq, place, bisect_left(known, f"{place}~")) for seq, place in places.items())
    return {
        seq: found[known[at]]
        for seq, place, at in pairs
        if at < len(known) and known[at][:THREAD] == place[:THREAD]
    }


def _holds(text: str, phrases: Iterable[Sequence[str]]) -> bool:
    """Whether the words of one of the phrases stand in a row in a text."""
    said = f" {' '.join(words.phrase(text))} "
    return any(f" {' '.join(phrase)} " in said for phrase in phrases if phrase)
