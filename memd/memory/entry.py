"""The nouns of curated memory: an entry, its type and class, and the scope in which it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

EntryType = Literal["fact", "preference", "decision", "event", "insight", "task", "relationship", "procedure"]
MemoryClass = Literal["episodic", "semantic", "procedural"]
Level = Literal["global", "project", "branch"]
SourceKind = Literal["turn", "session", "observation", "entry"]

TYPES: tuple[EntryType, ...] = get_args(EntryType)
LEVELS: tuple[Level, ...] = get_args(Level)

CLASSES: Mapping[EntryType, MemoryClass] = {
    "event": "episodic",
    "task": "episodic",
    "fact": "semantic",
    "preference": "semantic",
    "decision": "semantic",
    "insight": "semantic",
    "relationship": "semantic",
    "procedure": "procedural",
}

LEAST, MOST = 1, 10
USUAL = 5


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """Where an entry holds: everywhere, in a project (its row), or on a branch of it."""

    project: int | None = None
    branch: str | None = None

    def __post_init__(self) -> None:
        if self.branch is not None and self.project is None:
            raise ValueError("a branch is one of a project")

    @property
    def level(self) -> Level:
        """``global``, ``project`` or ``branch``."""
        if self.project is None:
            return "global"
        return "project" if self.branch is None else "branch"


EVERYWHERE = MemoryScope()


@dataclass(frozen=True, slots=True)
class Source:
    """What an entry rests on: a turn or a session by its id, a record of an observation log or an entry by its row."""

    kind: SourceKind
    id: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry before it is stored."""

    content: str
    type: EntryType = "fact"
    importance: int = USUAL
    scope: MemoryScope = EVERYWHERE
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A stored entry. ``created_ms`` moves with every sighting, ``first_seen_ms`` never; times are UTC milliseconds.

    ``project`` is the path of its project, ``project_name`` what people call it.
    """

    id: int
    content: str
    type: EntryType
    importance: int
    scope: MemoryScope
    project: str | None
    project_name: str | None
    created_ms: int
    first_seen_ms: int
    sightings: int
    reviewed_ms: int | None
    superseded_by: int | None
    superseded_ms: int | None

    @property
    def memory_class(self) -> MemoryClass:
        """How fast it fades: as what happened, what is so, or how things are done."""
        return CLASSES[self.type]

    @property
    def live(self) -> bool:
        """Neither superseded nor retired."""
        return self.superseded_ms is None


def clamped(importance: int) -> int:
    """The importance within what is allowed."""
    return max(LEAST, min(MOST, importance))
