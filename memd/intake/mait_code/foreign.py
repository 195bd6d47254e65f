"""What mait-code's database holds, as values that memd can take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memd.graph.entity import EntityType, RelationshipType
from memd.memory.entry import EntryType


@dataclass(frozen=True, slots=True)
class ForeignEntry:
    """An entry there. ``project`` is a name; None with a branch of None means that it holds everywhere."""

    id: int
    content: str
    type: EntryType
    importance: int
    created_ms: int
    project: str | None
    branch: str | None
    superseded_by: int | None
    superseded_ms: int | None
    reviewed_ms: int | None


@dataclass(frozen=True, slots=True)
class ForeignEntity:
    """An entity there."""

    id: int
    name: str
    type: EntityType
    mentions: int
    first_seen_ms: int
    last_seen_ms: int


@dataclass(frozen=True, slots=True)
class ForeignRelationship:
    """An edge there, between entities by their ids."""

    source: int
    target: int
    type: RelationshipType
    context: str
    first_seen_ms: int
    last_seen_ms: int


@dataclass(frozen=True, slots=True)
class ForeignWatermark:
    """The last entry that was reflected there, of a project by name or of all."""

    project: str | None
    last_id: int
    at_ms: int


@dataclass(slots=True)
class Rows:
    """Everything of a database, redacted; entries in the order of their ids."""

    entries: list[ForeignEntry] = field(default_factory=list)
    entities: list[ForeignEntity] = field(default_factory=list)
    relationships: list[ForeignRelationship] = field(default_factory=list)
    watermarks: list[ForeignWatermark] = field(default_factory=list)
    newest_ms: int = 0
    coerced: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    redactions: Counter[str] = field(default_factory=Counter)
