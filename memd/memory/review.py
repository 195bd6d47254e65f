"""Review: what is important and fading, to be confirmed, refined or retired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2

from memd.db.driver import Connection
from memd.memory import scoring, table
from memd.memory.entry import CLASSES, USUAL, MemoryEntry
from memd.memory.scoring import DAY_MS, HalfLives
from memd.memory.which import Which


@dataclass(frozen=True, slots=True)
class Options:
    """From which importance on an entry is due, and below which probability that it is recalled."""

    min_importance: int = USUAL
    threshold: float = 0.5
    half_lives: HalfLives = field(default_factory=HalfLives)


@dataclass(frozen=True, slots=True)
class Due:
    """An entry to look at, and how probably it is recalled still."""

    entry: MemoryEntry
    recall: float


def due(
    connection: Connection, which: Which, now_ms: int, limit: int, options: Options | None = None
) -> Sequence[Due]:
    """The entries that are due, the least recalled first. Recall fades from the last review, else the last sighting."""
    options = options or Options()
    days = {type: options.half_lives.of(memory_class) for type, memory_class in CLASSES.items()}
    # Below the threshold is: older than so many half-lives.
    found = table.fading(
        connection,
        which,
        now_ms,
        {type: int(half_life * DAY_MS) for type, half_life in days.items()},
        log2(1 / options.threshold),
        options.min_importance,
        limit,
    )
    return [Due(entry, recall(entry, now_ms, options.half_lives)) for entry in found]


def recall(entry: MemoryEntry, now_ms: int, half_lives: HalfLives) -> float:
    """How probably an entry is recalled: 1 when it was just looked at or seen, half of it after each half-life."""
    anchor_ms = entry.created_ms if entry.reviewed_ms is None else entry.reviewed_ms
    return scoring.recency_score(anchor_ms, now_ms, entry.memory_class, half_lives)
