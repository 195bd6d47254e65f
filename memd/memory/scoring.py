"""The composite score of an entry: how recent, how important and how relevant it is, times how near its scope is.

It ranks entries with ``--rank seed``, and tells which of them fade. Pure: times and scopes are handed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from memd.errors import ConfigError
from memd.memory.entry import EVERYWHERE, LEAST, MOST, MemoryClass, MemoryEntry, MemoryScope, clamped

E = TypeVar("E", bound=MemoryEntry)

DAY_MS = 86_400_000
UNKNOWN = 0.5  # the relevance of what was found without one


@dataclass(frozen=True, slots=True)
class Weights:
    """The shares of recency, importance and relevance. ConfigError where they do not make 1 together."""

    recency: float = 0.3
    importance: float = 0.3
    relevance: float = 0.4

    def __post_init__(self) -> None:
        whole = self.recency + self.importance + self.relevance
        if abs(whole - 1) > 1e-6:
            raise ConfigError(
                f"scoring.weight_recency, weight_importance and weight_relevance make {whole:g} together;"
                " they must make 1"
            )


@dataclass(frozen=True, slots=True)
class HalfLives:
    """After how many days half of the recency is gone, by class; ``other`` where the class is not known."""

    episodic: float = 3
    semantic: float = 90
    procedural: float = 180
    other: float = 7

    def of(self, memory_class: MemoryClass | None) -> float:
        """The half-life of a class, in days."""
        match memory_class:
            case "episodic":
                return self.episodic
            case "semantic":
                return self.semantic
            case "procedural":
                return self.procedural
        return self.other


@dataclass(frozen=True, slots=True)
class Boosts:
    """By what the score is multiplied, by where the entry holds and where the question is asked."""

    same: float = 1.0
    project: float = 0.85
    global_: float = 0.7
    cross_project: float = 0.3


@dataclass(frozen=True, slots=True)
class Options:
    """The constants of the score."""

    weights: Weights = field(default_factory=Weights)
    half_lives: HalfLives = field(default_factory=HalfLives)
    boosts: Boosts = field(default_factory=Boosts)


DEFAULT = Options()


def recency_score(
    created_ms: int, now_ms: int, memory_class: MemoryClass | None, half_lives: HalfLives = DEFAULT.half_lives
) -> float:
    """From 1, now, down by half with every half-life; what is of a time to come counts as of now."""
    days = max(0, now_ms - created_ms) / DAY_MS
    return float(0.5 ** (days / half_lives.of(memory_class)))


def importance_score(importance: int) -> float:
    """From 0, the least important, to 1."""
    return (clamped(importance) - LEAST) / (MOST - LEAST)


def scope_boost(holds: MemoryScope, asked: MemoryScope, boosts: Boosts = DEFAULT.boosts) -> float:
    """How near the place where an entry holds is to the place where the question is asked; 1 where that is anywhere."""
    if asked.project is None:
        return boosts.same
    if holds.project is None:
        return boosts.global_
    if holds.project != asked.project:
        return boosts.cross_project
    return boosts.same if holds.branch is not None and holds.branch == asked.branch else boosts.project


def composite_score(
    created_ms: int,
    importance: int,
    relevance: float = UNKNOWN,
    *,
    memory_class: MemoryClass | None,
    holds: MemoryScope | None,
    asked: MemoryScope = EVERYWHERE,
    now_ms: int,
    options: Options = DEFAULT,
) -> float:
    """The score, about from 0 to 1; without a scope (``holds``) nothing is multiplied."""
    weights = options.weights
    score = (
        weights.recency * recency_score(created_ms, now_ms, memory_class, options.half_lives)
        + weights.importance * importance_score(importance)
        + weights.relevance * relevance
    )
    return score if holds is None else score * scope_boost(holds, asked, options.boosts)


def rank(
    found: Iterable[tuple[E, float | None]],
    *,
    limit: int,
    asked: MemoryScope = EVERYWHERE,
    now_ms: int,
    options: Options = DEFAULT,
) -> list[tuple[float, E]]:
    """Entries with their relevance, as (score, entry), best first, ``limit`` of them; equal ones stay in order."""
    scored = [
        (
            composite_score(
                entry.created_ms,
                entry.importance,
                UNKNOWN if relevance is None else relevance,
                memory_class=entry.memory_class,
                holds=entry.scope,
                asked=asked,
                now_ms=now_ms,
                options=options,
            ),
            entry,
        )
        for entry, relevance in found
    ]
    return sorted(scored, key=lambda pair: -pair[0])[: max(0, limit)]
