"""What a store of turns is: whose turns an operation means, a turn as it is kept, and what every store can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

ROLES = ("user", "assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose turns are meant: of a user, an agent, a run. None means any; at least one must be named.

    ValueError where none is, or one is empty or no text: an empty scope would mean everybody's memory.
    """

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise ValueError(f"{one.name} is {value!r}; it must be a text that is not blank, or None")
        if self.user_id is None and self.agent_id is None and self.run_id is None:
            raise ValueError("whose memory is meant? name at least one of user_id, agent_id and run_id")

    def matches(self, user_id: str | None, agent_id: str | None, run_id: str | None) -> bool:
        """Whether a turn with these ids is meant."""
        pairs = ((self.user_id, user_id), (self.agent_id, agent_id), (self.run_id, run_id))
        return all(wanted is None or wanted == found for wanted, found in pairs)


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One stored turn, word for word.

    ``created_at`` is aware (else ValueError); ``seq`` orders turns of the same time, and the store gives it.
    ``metadata`` is the caller's own, read-only here, and never shown to a model.
    """

    id: str
    role: str
    content: str
    created_at: datetime
    seq: int = 0
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    updated_at: datetime | None = None

    def __post_init__(self) -> None:
        for moment in (self.created_at, self.updated_at):
            if moment is not None and moment.tzinfo is None:
                raise ValueError(f"{moment.isoformat()} has no zone; a stored turn needs an aware time")
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def to_dict(self) -> dict[str, object]:
        """The turn as JSON-ready data, its times as ISO text in UTC."""
        plain: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        plain["created_at"] = self.created_at.astimezone(UTC).isoformat()
        plain["updated_at"] = self.updated_at and self.updated_at.astimezone(UTC).isoformat()
        return plain | {"metadata": dict(self.metadata)}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> MemoryItem:
        """The turn that `to_dict` gave, also after a way through JSON."""
        times = {
            name: datetime.fromisoformat(value)
            for name in ("created_at", "updated_at")
            if isinstance(value := data.get(name), str)
        }
        return cls(**{**data, **times})  # type: ignore[arg-type]  # by name, as `to_dict` wrote them


class MemoryStore(Protocol):
    """Where turns live. Every store may be called from several threads."""

    def add(self, items: Sequence[MemoryItem]) -> None:
        """Store new turns, all or none; ``seq`` is the store's to give. ValueError for an id that is there already."""
        ...

    def list(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[MemoryItem]:
        """The turns of a scope with ``since <= created_at < until``, oldest first, ties as they were added."""
        ...

    def get(self, item_id: str) -> MemoryItem | None:
        """One turn; None where there is none by that id."""
        ...

    def update(
        self, item_id: str, *, content: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> MemoryItem | None:
        """Give a turn another text or metadata; the turn as it is now, None where there is none by that id."""
        ...

    def delete(self, item_id: str) -> bool:
        """Delete a turn; whether it was there."""
        ...

    def delete_scope(self, scope: Scope) -> int:
        """Delete every turn of a scope; how many there were."""
        ...


class Extent(NamedTuple):
    """How much a view holds: turns, bytes of their texts, and its sessions as (user, agent, run) with a moment in them.

    Of turns without a run the first and the last of each day in UTC stand there: the calendar that makes sessions of
    them is the reader's. Of a run the moment may be any of a day that has turns of it.
    """

    turns: int
    size: int
    sessions: Sequence[tuple[str | None, str | None, str | None, datetime]]


class Hit(NamedTuple):
    """A turn that holds words of a question; ``before`` is the seq of the turn before it, of the same ids."""

    item: MemoryItem
    score: float
    before: int | None


class TurnView(Protocol):
    """The turns of a scope and time window at one moment, each question answered by an index."""

    def extent(self) -> Extent:
        """How much there is."""
        ...

    def first(self, most: int, most_bytes: int) -> list[MemoryItem] | None:
        """Every turn, oldest first; None where there are more."""
        ...

    def ranked(self, text: str, limit: int) -> list[Hit]:
        """The turns that hold words of a text, best first."""
        ...

    def around(self, ids: Sequence[str]) -> Mapping[str, tuple[MemoryItem | None, MemoryItem | None]]:
        """The turns before and after each of these, of the same user, agent and run."""
        ...

    def marked(self, phrases: Sequence[str], limit: int) -> list[MemoryItem]:
        """User turns that hold one of the phrases, newest first."""
        ...

    def spread(self, most: int) -> list[MemoryItem]:
        """At most so many turns, evenly over all."""
        ...

    def listed(self, most: int) -> list[MemoryItem] | None:
        """Every turn of the scope, whatever its time, oldest first and without its text; None where there are more."""
        ...

    def counts(self) -> tuple[int, int]:
        """How many turns lie in the time window, and how many outside."""
        ...


@runtime_checkable
class Near(Protocol):
    """A view that may also have vectors of its turns, in one space or more; vectors of two spaces never meet."""

    def nearest(self, space: str, vector: Sequence[float], limit: int) -> list[Hit] | None:
        """The turns nearest in meaning, scored by their cosine, nearest first; None without vectors of the space."""
        ...

    def cosines(self, space: str, vector: Sequence[float], ids: Sequence[str]) -> Mapping[str, float]:
        """How near these turns come; of those that have vectors of the space."""
        ...


@runtime_checkable
class Indexed(Protocol):
    """A store that can also be searched; one that cannot is read whole for every question."""

    def view(
        self, scope: Scope, *, since: datetime | None = None, until: datetime | None = None
    ) -> AbstractContextManager[TurnView]:
        """The turns of a scope, for questions; nothing changes in them while it is open."""
        ...


@runtime_checkable
class Knowing(Protocol):
    """A store that tells of many ids at once which are stored."""

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are stored."""
        ...


@runtime_checkable
class Closing(Protocol):
    """A store that holds something open."""

    def close(self) -> None:
        """Let go of it; the store is of no use then."""
        ...
