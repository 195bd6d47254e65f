"""The nouns of the graph: an entity, a relationship, and their types; words outside of the vocabularies are coerced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EntityType = Literal["person", "project", "tool", "service", "concept", "org", "unknown"]
RelationshipType = Literal["uses", "owns", "contributes_to", "depends_on", "manages", "related_to"]

ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
RELATIONSHIP_TYPES: tuple[RelationshipType, ...] = get_args(RelationshipType)

# Words of older vocabularies, and what they are in these.
_FORMER_ENTITIES: Mapping[str, EntityType] = {
    **dict.fromkeys(
        ("component", "module", "feature", "pattern", "process", "artifact", "reference", "resource"),
        "concept",
    ),
    "system": "service",
    "infrastructure": "service",
}
_FORMER_RELATIONSHIPS: Mapping[str, RelationshipType] = {
    "runs_on": "depends_on",
    "implements": "contributes_to",
    "integrates_with": "uses",
}
_GAP = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing: how many records mention it, and when the first and the last of them were written (UTC ms)."""

    id: int
    name: str
    type: EntityType
    mentions: int
    first_seen_ms: int
    last_seen_ms: int


@dataclass(frozen=True, slots=True)
class Relationship:
    """A typed edge from one entity to another, with what was last said of it."""

    id: int
    source_id: int
    source: str
    target_id: int
    target: str
    type: RelationshipType
    context: str
    first_seen_ms: int
    last_seen_ms: int


def entity_type(word: object) -> EntityType:
    """The type that a word means, however it is written; ``unknown`` where it means none."""
    said = _bare(word)
    return next((one for one in ENTITY_TYPES if one == said), _FORMER_ENTITIES.get(said, "unknown"))


def relationship_type(word: object) -> RelationshipType:
    """The type that a word means, however it is written; ``related_to`` where it means none."""
    said = _bare(word)
    known = (one for one in RELATIONSHIP_TYPES if one == said)
    return next(known, _FORMER_RELATIONSHIPS.get(said, "related_to"))


def _bare(word: object) -> str:
    return _GAP.sub("_", word.strip().casefold()) if isinstance(word, str) else ""
