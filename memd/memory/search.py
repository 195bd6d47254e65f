"""Searching entries: by word, by meaning, or both, ranked by relevance; or as mait-code ranks (``seed``).

A filter holds inside each lane: nothing that fails it takes another's place, and by neither comes a row of another
branch in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memd.db import driver
from memd.db.driver import Connection
from memd.db.keyword import Filter, Plan
from memd.db.vectors import Lane
from memd.memory import scoring, statements, table
from memd.memory.entry import EVERYWHERE, MemoryEntry, MemoryScope
from memd.memory.statements import ENTRIES, LANE, Found, Lanes
from memd.memory.which import Which
from memd.ranking.statements import Statement

SEED_KEYWORD = 0.3  # relevance of what words alone found, beside what meaning found
SEED_KEYWORD_ALONE = 0.7


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, among which entries, from where, and when."""

    text: str
    now_ms: int
    which: Which = field(default_factory=Which)
    asked: MemoryScope = EVERYWHERE
    limit: int = 10
    mode: str = "hybrid"
    scoring: scoring.Options = scoring.DEFAULT


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry as the seed's rule ranks it; ``relevance`` is what its score was made of."""

    entry: MemoryEntry
    score: float
    relevance: float
    lanes: Sequence[str]


def find(connection: Connection, question: Question, lane: Lane, told: Plan) -> Found:
    """The entries that are relevant, ranked; ``told`` is what the index of turns knows of the words."""
    looked = look(connection, question, lane)
    lanes = statements.above_floor(connection, ENTRIES, looked, question.mode, lane, told)
    entries = table.by_ids(connection, lanes.rows)
    candidates = [
        Statement(
            row,
            lanes.words.get(row),
            lanes.cosines.get(row),
            len(entries[row].content.encode()),
            entries[row].created_ms,
            fresh(entries[row], question),
        )
        for row in lanes.rows
    ]
    return statements.rank(ENTRIES, lanes.plan, candidates)


def fresh(entry: MemoryEntry, question: Question) -> float:
    """From 0 to 1, how recent and important an entry is, and how near it holds; nothing where it is not live."""
    weights, parts = question.scoring.weights, explained(entry, question)
    if not entry.live or not weights.recency + weights.importance:
        return 0.0
    both = weights.recency * parts["recency"] + weights.importance * parts["importance"]
    return parts["boost"] * both / (weights.recency + weights.importance)


def explained(entry: MemoryEntry, question: Question) -> dict[str, float]:
    """What the freshness of an entry is made of."""
    options, now_ms = question.scoring, question.now_ms
    return {
        "recency": scoring.recency_score(entry.created_ms, now_ms, entry.memory_class, options.half_lives),
        "importance": scoring.importance_score(entry.importance),
        "boost": scoring.scope_boost(entry.scope, question.asked, options.boosts),
    }


def seed(connection: Connection, question: Question, lane: Lane) -> list[Scored]:
    """The entries as mait-code ranks them: by the composite score, whose relevance is the cosine where there is one."""
    looked = look(connection, question, lane)
    relevances = seed_relevances(looked, question)
    entries = table.by_ids(connection, list(relevances))
    ranked = scoring.rank(
        [(entries[row], relevance) for row, relevance in relevances.items()],
        limit=question.limit,
        asked=question.asked,
        now_ms=question.now_ms,
        options=question.scoring,
    )
    return [Scored(entry, score, relevances[entry.id], _lanes(looked, entry.id)) for score, entry in ranked]


def seed_relevances(looked: Lanes, question: Question) -> dict[int, float]:
    """Relevance by row, of twice the limit from each lane: words first, in their order, then what meaning adds."""
    most = 2 * question.limit
    words = sorted(looked.words, key=lambda row: -looked.words[row])[:most]
    cosines = dict(sorted(looked.cosines.items(), key=lambda pair: -pair[1])[:most])
    alone = SEED_KEYWORD_ALONE if question.mode == "keyword" else SEED_KEYWORD
    return {row: max(0.0, cosines[row]) if row in cosines else alone for row in (*words, *cosines)}


def look(connection: Connection, question: Question, lane: Lane) -> Lanes:
    """What each lane finds by itself."""
    where, values = question.which.condition()
    which, most = Filter(where, values), max(LANE, 2 * question.limit)
    return statements.look(connection, ENTRIES, question.text, question.mode, which, lane, most)


def texts(connection: Connection, rows: Sequence[int]) -> Mapping[int, str]:
    """What is indexed of entries."""
    listed = ",".join(str(int(row)) for row in rows)
    found = connection.execute(f"SELECT id, coalesce(terms, content) FROM entry WHERE id IN ({listed})")
    return {driver.number(row): str(text) for row, text in found}


def _lanes(looked: Lanes, row: int) -> list[str]:
    return [name for name, found in (("keyword", looked.words), ("vector", looked.cosines)) if row in found]
