"""What was extracted of a session: statements, things and edges between them.

A model wrote it, so nothing of its shape is certain. What can be meant is taken, what cannot is counted as bad, and
what names no thing worth a place in the graph is dropped with its reason. Null stands for what was forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memd.graph import name as names
from memd.graph.entity import EntityType, RelationshipType, entity_type, relationship_type
from memd.memory.entry import LEVELS, USUAL, EntryType, Level, clamped
from memd.sources.observations import TURNS, items_in

TYPES: Mapping[str, EntryType] = {
    "facts": "fact",
    "preferences": "preference",
    "decisions": "decision",
    "procedures": "procedure",
    "bugs_fixed": "event",
}
MOST_ITEMS = 1_000  # of a category, in one record
MOST_CHARS = 10_000  # of a statement
MOST_CONTEXT = 1_000
_NUMBER = re.compile(r"\s*(\d{1,3})(?:\.\d*)?\s*(?:/\s*10)?\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """What will be an entry. ``place`` tells it from the others of its record."""

    place: str
    content: str
    type: EntryType
    importance: int
    level: Level
    turns: Sequence[str] = ()  # that it rests on, by their ids


@dataclass(frozen=True, slots=True)
class Thing:
    """A mention of an entity. Where it stands makes no difference to what it says."""

    name: str
    type: EntityType
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A mention of a relationship, by the names at its ends."""

    source: str
    target: str
    type: RelationshipType
    context: str
    place: str = field(default="", compare=False)


Item = Statement | Thing | Edge


@dataclass(slots=True)
class Extraction:
    """Everything usable of a record, in its order; how many items were bad, and how many were dropped for what."""

    statements: list[Statement] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    bad: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def items(self) -> list[Item]:
        """Everything usable, in the order in which it is taken in."""
        return [*self.statements, *self.things, *self.edges]


_CATEGORIES = (*TYPES, "entities", "relationships")


def order(place: str) -> tuple[int, int]:
    """By this the places of a record are in its order."""
    category, _, number = place.partition("/")
    return _CATEGORIES.index(category), int(number)


def read(extracted: Mapping[str, object], project: str | None, branch: str | None) -> Extraction:
    """What stands in the ``extraction`` of a record of that project and branch."""
    found = Extraction()
    for category in TYPES:
        for number, item in _items(extracted, category, found):
            statement = _statement(item, category, number, project, branch)
            if statement:
                found.statements.append(statement)
            else:
                found.bad += 1
    for number, item in _items(extracted, "entities", found):
        _add_thing(found, item, f"entities/{number}", branch)
    for number, item in _items(extracted, "relationships", found):
        _add_edge(found, item, f"relationships/{number}", branch)
    return found


def resolve_scope(
    item: Mapping[str, object], category: str, project: str | None, branch: str | None
) -> Level:
    """Where an item holds: everywhere without a project; as the model says where it says so; else by its category."""
    if project is None:
        return "global"
    said = item.get("scope")
    word = said.strip().lower() if isinstance(said, str) else ""
    for level in LEVELS:
        if word == level:
            return level
    if category == "preferences":
        return "global"
    if category in ("decisions", "procedures"):
        return "project"
    return "project" if branch is None else "branch"


def importance_of(value: object) -> int:
    """A number from 1 to 10, of whatever a model wrote there: "8" is 8, "8/10" too; what says nothing is 5."""
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        return clamped(int(found[1]))
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return clamped(int(max(0.0, min(99.0, value))))
    return USUAL


def _items(extracted: Mapping[str, object], category: str, found: Extraction) -> Sequence[tuple[int, object]]:
    items = items_in(extracted.get(category))
    found.bad += max(0, len(items) - MOST_ITEMS)
    items = items[:MOST_ITEMS]
    if forgotten := items.count(None):
        found.dropped["forgotten"] += forgotten
    return [(number, item) for number, item in enumerate(items) if item is not None]


def _statement(
    item: object, category: str, number: int, project: str | None, branch: str | None
) -> Statement | None:
    if isinstance(item, str):
        item = {"content": item}
    content = _text(item.get("content")) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not content or len(content) > MOST_CHARS:
        return None
    return Statement(
        place=f"{category}/{number}",
        content=content,
        type=TYPES[category],
        importance=importance_of(item.get("importance")),
        level=resolve_scope(item, category, project, branch),
        turns=tuple(one for one in items_in(item.get(TURNS)) if isinstance(one, str)),
    )


def _add_thing(found: Extraction, item: object, place: str, branch: str | None) -> None:
    if isinstance(item, str):
        item = {"name": item}
    name = names.shown(_text(item.get("name"))) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not name:
        found.bad += 1
    elif why := names.why_not(name, branch):
        found.dropped[why] += 1
    else:
        found.things.append(Thing(name, entity_type(item.get("entity_type", item.get("type"))), place))


def _add_edge(found: Extraction, item: object, place: str, branch: str | None) -> None:
    if not isinstance(item, dict):
        found.bad += 1
        return
    source, target = (names.shown(_text(item.get(end))) for end in ("source", "target"))
    if not source or not target:
        found.bad += 1
    elif why := names.why_not(source, branch) or names.why_not(target, branch):
        found.dropped[why] += 1
    elif names.key(source) == names.key(target):
        found.dropped["loop"] += 1
    else:
        type_ = relationship_type(item.get("relationship_type", item.get("type")))
        found.edges.append(Edge(source, target, type_, _text(item.get("context"))[:MOST_CONTEXT], place))


def _text(value: object) -> str:
    return value.replace("\0", " ").strip() if isinstance(value, str) else ""
