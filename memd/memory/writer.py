"""What may be done to entries: store, supersede, merge, retire, delete, review. Each gives a value for what came of it.

A dead entry is never pointed anywhere anew: who meant it is told what stands in its place. Whoever calls this records
it in the undo journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memd.db.driver import Connection
from memd.memory import dedup, forget, guards, nearest, table
from memd.memory.dedup import Conflict, Thresholds
from memd.memory.entry import Draft, MemoryEntry, MemoryScope, clamped
from memd.memory.meaning import Meaning


@dataclass(frozen=True, slots=True)
class Created:
    """A new entry, and those that may say the opposite."""

    id: int
    conflicts: Sequence[Conflict] = ()


@dataclass(frozen=True, slots=True)
class Refreshed:
    """An entry that said so already, seen once more; ``reworded`` where the newer wording says more and stays."""

    id: int
    reworded: bool
    conflicts: Sequence[Conflict] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Nothing was stored: a person had this text forgotten for good."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """``old_id`` has ``id`` as its successor now."""

    old_id: int
    id: int


@dataclass(frozen=True, slots=True)
class Merged:
    """``merged`` have ``id`` as their successor now; ``dead`` had gone before, ``missing`` never were."""

    id: int
    merged: Sequence[int]
    dead: Sequence[int]
    missing: Sequence[int]


@dataclass(frozen=True, slots=True)
class NothingToMerge:
    """None of the entries is live."""

    dead: Sequence[int]
    missing: Sequence[int]


@dataclass(frozen=True, slots=True)
class Retired:
    """The entry is live no longer, and has no successor."""

    id: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """The entry is gone; what it had superseded points at what superseded it, or is retired."""

    id: int


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The entry holds still."""

    id: int


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no such entry."""

    id: int


@dataclass(frozen=True, slots=True)
class AlreadySuperseded:
    """``successor`` stands in its place; ``head`` is the live end of that chain, None where it was retired."""

    id: int
    successor: int
    head: int | None


@dataclass(frozen=True, slots=True)
class AlreadyRetired:
    """The entry was retired before."""

    id: int


Dead = AlreadySuperseded | AlreadyRetired

USUAL_THRESHOLDS = Thresholds()


def store(
    connection: Connection,
    draft: Draft,
    meaning: Meaning | None,
    at_ms: int,
    thresholds: Thresholds = USUAL_THRESHOLDS,
    *,
    by_hand: bool = False,
) -> Created | Refreshed | Forgotten:
    """Store what is new, and count a sighting of what is known.

    A text that was forgotten for good comes back ``by_hand`` alone: where a person says it anew.
    """
    draft = replace(draft, content=draft.content.strip(), importance=clamped(draft.importance))
    if by_hand:
        forget.let_back(connection, draft)
    elif forget.is_forgotten(connection, draft):
        return Forgotten()
    found = dedup.find(connection, draft, meaning, thresholds)
    if found.duplicate is not None:
        known = table.by_ids(connection, [found.duplicate])[found.duplicate]
        return _refresh(connection, known, draft, meaning, at_ms)
    return Created(_insert(connection, draft, meaning, at_ms), found.conflicts)


def supersede(
    connection: Connection,
    old_id: int,
    content: str,
    meaning: Meaning | None,
    at_ms: int,
    importance: int | None = None,
) -> Superseded | Missing | Dead:
    """Put a new entry in the place of a live one; type and scope stay, and the importance where none is given.

    Where a live entry of that type and scope has the very text, as after a contradiction was stored, it is that one.
    """
    old = table.get(connection, old_id)
    if old is None:
        return Missing(old_id)
    if not old.live:
        return _dead(connection, old)
    draft = Draft(content.strip(), old.type, _weight(importance, [old]), old.scope)
    twin = _twin(connection, draft, [old_id])
    new = _insert(connection, draft, meaning, at_ms) if twin is None else twin
    table.end(connection, [old_id], at_ms, successor=new)
    return Superseded(old_id, new)


def merge(
    connection: Connection,
    ids: Iterable[int],
    content: str,
    meaning: Meaning | None,
    at_ms: int,
    importance: int | None = None,
) -> Merged | NothingToMerge:
    """Put one new entry in the place of all live ones among ``ids``.

    The first of them gives type and scope; the highest importance holds, and the first time that one of them was seen.
    Where another live entry of that type and scope has the very text, it is that one, with what they rest on.
    """
    asked = list(dict.fromkeys(ids))
    known = table.by_ids(connection, asked)
    missing = [one for one in asked if one not in known]
    dead = [one for one in asked if one in known and not known[one].live]
    live = [known[one] for one in asked if one in known and known[one].live]
    if not live:
        return NothingToMerge(dead, missing)
    sources = [source for one in live for source in table.sources(connection, one.id)]
    draft = Draft(content.strip(), live[0].type, _weight(importance, live), live[0].scope, sources)
    merged = [one.id for one in live]
    new = _twin(connection, draft, merged)
    if new is None:
        first_seen_ms = min(at_ms, *(one.first_seen_ms for one in live))
        new = _insert(connection, draft, meaning, at_ms, first_seen_ms, sum(one.sightings for one in live))
    else:
        table.add_sources(connection, new, sources)
    table.end(connection, merged, at_ms, successor=new)
    return Merged(new, merged, dead, missing)


def retire(connection: Connection, entry_id: int, at_ms: int) -> Retired | Missing | Dead:
    """Let an entry hold no longer, without a successor."""
    entry = table.get(connection, entry_id)
    if entry is None:
        return Missing(entry_id)
    if not entry.live:
        return _dead(connection, entry)
    table.end(connection, [entry_id], at_ms, successor=None)
    return Retired(entry_id)


def delete(connection: Connection, entry_id: int) -> Deleted | Missing:
    """Remove an entry, live or not."""
    entry = table.get(connection, entry_id)
    if entry is None:
        return Missing(entry_id)
    table.delete(connection, entry_id, successor=entry.superseded_by)
    return Deleted(entry_id)


def review(connection: Connection, entry_id: int, at_ms: int) -> Reviewed | Missing | Dead:
    """Note that an entry was looked at and holds."""
    entry = table.get(connection, entry_id)
    if entry is None:
        return Missing(entry_id)
    if not entry.live:
        return _dead(connection, entry)
    table.mark_reviewed(connection, entry_id, at_ms)
    return Reviewed(entry_id)


def _refresh(
    connection: Connection, known: MemoryEntry, draft: Draft, meaning: Meaning | None, at_ms: int
) -> Refreshed:
    """Count a sighting; of the two wordings the newer one stays where it says more."""
    reworded = at_ms >= known.created_ms and guards.says_more(draft.content, known.content)
    table.see(connection, known.id, at_ms, draft.importance, _shared(known.scope, draft.scope))
    table.add_sources(connection, known.id, draft.sources)
    if reworded:
        table.reword(connection, known.id, draft.content)
        _put(connection, known.id, meaning)
    return Refreshed(known.id, reworded)


def _shared(one: MemoryScope, other: MemoryScope) -> MemoryScope:
    """Where a statement of two scopes of one project holds: what is seen on two branches holds in all the project."""
    return one if one == other else MemoryScope(one.project)


def _twin(connection: Connection, draft: Draft, ended: Sequence[int]) -> int | None:
    """The entry that has the very text of a draft, apart from those that end for it."""
    twins = table.by_ids(connection, [one for one in dedup.twins(connection, draft) if one not in ended])
    return next((one.id for one in twins.values() if one.scope == draft.scope), None)


def _insert(
    connection: Connection,
    draft: Draft,
    meaning: Meaning | None,
    at_ms: int,
    first_seen_ms: int | None = None,
    sightings: int = 1,
) -> int:
    entry_id = table.insert(connection, draft, at_ms, first_seen_ms=first_seen_ms, sightings=sightings)
    _put(connection, entry_id, meaning)
    return entry_id


def _put(connection: Connection, entry_id: int, meaning: Meaning | None) -> None:
    if meaning is not None:
        from memd.providers.embedding.quantise import to_blobs

        nearest.put(connection, meaning.space, entry_id, to_blobs(meaning.windows))


def _weight(importance: int | None, entries: Sequence[MemoryEntry]) -> int:
    return clamped(max(one.importance for one in entries) if importance is None else importance)


def _dead(connection: Connection, entry: MemoryEntry) -> Dead:
    if entry.superseded_by is None:
        return AlreadyRetired(entry.id)
    end = table.chain(connection, entry.id)[-1]
    return AlreadySuperseded(entry.id, entry.superseded_by, end.id if end.live else None)
