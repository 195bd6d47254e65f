"""BM25 of texts by what words weigh in an index that may be another one than theirs, so that both can be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.db.fts import Index, Term
from memd.db.keyword import Plan

K1, B = 1.2, 0.75
LEAST = 1e-6  # FTS5's: of a word that half of all rows hold, and more


def scores(connection: Connection, plan: Plan, texts: Mapping[int, str]) -> dict[int, float]:
    """What FTS5 would say of these texts among the rows of the plan's index, if they were of its usual length."""
    weights = _weights(connection, plan)
    tokens = {row: fts.stem_of(connection, text) for row, text in texts.items()}
    average = sum(map(len, tokens.values())) / max(1, len(tokens))
    return {row: _score(weights, found, average) for row, found in tokens.items()}


def _weights(connection: Connection, plan: Plan) -> dict[Term, float]:
    """The inverse document frequency of every term, and of the parts of those that are written together."""
    rows = _rows(connection, plan.index)
    counts = {**dict.fromkeys(plan.unknown, 0), **plan.costs}
    for part in [part for term in counts for part in term.parts]:
        counts = {part: plan.counts.of(part), **counts}
    return {term: max(LEAST, math.log((rows - n + 0.5) / (n + 0.5))) for term, n in counts.items()}


def _rows(connection: Connection, index: Index) -> int:
    """How many rows the index has, about."""
    return driver.number(connection.execute(f"SELECT coalesce(max(id), 0) FROM {index.name}_docsize").get)


def _score(weights: Mapping[Term, float], tokens: Sequence[str], average: float) -> float:
    length = K1 * (1 - B + B * len(tokens) / max(average, 1.0))
    counts = {term: _count(term, tokens) for term in weights}
    return sum(weights[term] * n * (K1 + 1) / (n + length) for term, n in counts.items() if n)


def _count(term: Term, tokens: Sequence[str]) -> int:
    """How often a term stands in the text."""
    if term.prefix:
        return sum(token.startswith(term.stems[-1]) for token in tokens)
    if len(term.stems) == 1:
        return tokens.count(term.stems[0])
    size, wanted = len(term.stems), list(term.stems)
    return sum(list(tokens[at : at + size]) == wanted for at in range(len(tokens) - size + 1))
