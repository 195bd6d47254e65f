"""How well recall finds what was said: ``python -m tests.bench.recalling`` prints a table by kind of question.

The history is in memory; with the bundled model (hybrid) or without any (lexical).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from memd.providers.embedding.bundled import BundledEmbedder
from memd.recall.context import RecallOptions, StoredTurn
from memd.recall.in_memory import InMemoryHistory
from memd.recall.recall import recall
from memd.text.tokens import Offline
from tests.bench import labelled, scoring
from tests.bench.labelled import Asked

BUDGETS = (500, 1000, 2000)
RANKS = (1, 5, 10)
Mode = Literal["lexical", "hybrid"]
Scorer = Callable[[str, Sequence[str]], Sequence[float]]

_COUNTER = Offline()


@dataclass(frozen=True, slots=True)
class Score:
    """Of one question: the share of its evidence among the first ranks, and in contexts of the budgets."""

    asked: Asked
    recall: Mapping[int, float]
    coverage: Mapping[int, float]


def score(mode: Mode, budgets: Sequence[int] = BUDGETS) -> list[Score]:
    """The score of every question."""
    return [_score(asked, mode, budgets) for asked in labelled.questions()]


def overall(scores: Sequence[Score]) -> dict[str, float]:
    """The mean figures: ``recall@10``, ``coverage@1000`` and the like."""
    figures = {f"recall@{k}": scoring.mean([one.recall[k] for one in scores]) for k in RANKS}
    budgets = scores[0].coverage
    return figures | {f"coverage@{b}": scoring.mean([one.coverage[b] for one in scores]) for b in budgets}


def _score(asked: Asked, mode: Mode, budgets: Sequence[int]) -> Score:
    turns = _turns(asked.project)
    texts = {turn.id: turn.text for turn in turns}
    evidence = [texts[one] for one in asked.evidence]

    history = InMemoryHistory(turns, asked.text, RecallOptions(), _near if mode == "hybrid" else None)
    ranked = [found.turn.id for found in history.best(max(RANKS))]
    options = {budget: RecallOptions(budget=budget, relevance=mode) for budget in budgets}
    contexts = {
        budget: recall(asked.text, history, chosen, _COUNTER).text for budget, chosen in options.items()
    }
    return Score(
        asked,
        recall={k: scoring.recall_at(k, ranked, asked.evidence) for k in RANKS},
        coverage={budget: scoring.coverage(text, evidence) for budget, text in contexts.items()},
    )


def by_meaning_alone(most: int) -> float:
    """The share of the evidence among the first turns where nothing but the cosine ranks them: dense retrieval."""
    shares = []
    for asked in labelled.questions():
        turns = _turns(asked.project)
        near = _near(asked.text, [turn.text for turn in turns])
        ranked = sorted(zip(turns, near, strict=True), key=lambda one: -one[1])
        shares.append(scoring.recall_at(most, [turn.id for turn, _ in ranked], asked.evidence))
    return scoring.mean(shares)


@cache
def _turns(project: str) -> tuple[StoredTurn, ...]:
    return tuple(labelled.turns(project))


@cache
def _embedder() -> BundledEmbedder:
    return BundledEmbedder()


@cache
def _vectors(texts: tuple[str, ...]) -> list[np.ndarray]:
    return list(_embedder().embed_documents(texts))


def _near(query: str, texts: Sequence[str]) -> list[float]:
    """The cosine of each text's nearest window."""
    asked = _embedder().embed_query(query)
    return [float((windows @ asked).max()) for windows in _vectors(tuple(texts))]


def main() -> None:
    """Both modes, by kind of question."""
    for mode in ("lexical", "hybrid"):
        began = time.process_time()
        scores = score(mode)
        kinds: dict[str, list[Score]] = defaultdict(list)
        for one in scores:
            kinds[one.asked.kind].append(one)
        print(f"{mode}: {len(scores)} questions, {time.process_time() - began:.1f} CPU s")
        for kind, rows in [*kinds.items(), ("all", scores)]:
            figures = "  ".join(f"{name} {value:.2f}" for name, value in overall(rows).items())
            print(f"  {kind:<11} {len(rows):>3}  {figures}")


if __name__ == "__main__":
    main()
