"""How near the turns of a view come to a question in meaning.

A store that has vectors in the embedder's space says what is near, and how near what words brought is. Turns that it
has none of are compared by their texts, as all turns of any other store are: of a small scope each, of a larger one
those that words brought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memd.ranking.floor import floor
from memd.text import words
from memd.turns.store import Hit, MemoryItem, Near, TurnView

SCORED = 300  # turns that a scorer is asked about: of a larger scope, those that words brought
SCORED_BYTES = 1 << 20
NEAR = 0.2  # from which on a turn of a small scope is found by its meaning alone

Scorer = Callable[[str, Sequence[str]], Sequence[float]]


class Question(NamedTuple):
    """The vector of a question, and the space that it lies in."""

    space: str
    vector: Sequence[float]


class Meaning(NamedTuple):
    """What tells how near texts come to a question; ``ask`` gives its vector, where there is one."""

    scorer: Scorer
    ask: Callable[[str], Question] | None = None


class Nearness(NamedTuple):
    """The cosines of turns to a question, by id, and those among them that meaning brought."""

    cosines: Mapping[str, float] = {}
    brought: Sequence[Hit] = ()


def nearness(view: TurnView, query: str, hits: Sequence[Hit], meaning: Meaning | None, most: int) -> Nearness:
    """How near all come of a small scope; of a larger one those that words brought, and at most so many others."""
    if meaning is None:
        return Nearness()
    near = _Asked(view, meaning.ask(query)) if meaning.ask and isinstance(view, Near) else None
    items = view.first(SCORED, SCORED_BYTES)
    if items is not None:
        cosines = _cosines(near, query, items, meaning.scorer)
        return Nearness(
            cosines, [Hit(one, cosines[one.id], None) for one in items if cosines[one.id] >= NEAR]
        )
    brought = near.brought(_least(query, hits), most) if near else []
    known = {hit.item.id: hit.score for hit in brought}
    others = [hit.item for hit in hits if hit.item.id not in known]
    return Nearness(known | _cosines(near, query, others, meaning.scorer), brought)


class _Asked(NamedTuple):
    """A view that has vectors, asked one question."""

    view: Near
    question: Question

    def brought(self, least: float, most: int) -> list[Hit]:
        """The nearest turns, if they are so near."""
        if least > 1:
            return []
        found = self.view.nearest(self.question.space, self.question.vector, most)
        return [hit for hit in found or () if hit.score >= least]

    def cosines(self, items: Sequence[MemoryItem]) -> Mapping[str, float]:
        """Those of turns that have vectors in the space of the question."""
        return self.view.cosines(self.question.space, self.question.vector, [item.id for item in items])


def _cosines(
    near: _Asked | None, query: str, items: Sequence[MemoryItem], scorer: Scorer
) -> dict[str, float]:
    """Of turns: what their vectors say, else what the scorer says of their texts."""
    if not items:
        return {}
    known = near.cosines(items) if near else {}
    rest = [item for item in items if item.id not in known]
    scores = scorer(query, [item.content for item in rest]) if rest else []
    if len(scores) != len(rest):
        raise ValueError(f"the scorer gave {len(scores)} scores for {len(rest)} texts; it must give one each")
    return {**known, **{item.id: float(score) for item, score in zip(rest, scores, strict=True)}}


def _least(query: str, hits: Sequence[Hit]) -> float:
    """The cosine from which on a turn is found by its meaning alone: of words that nothing holds it needs more."""
    stems = set(words.stems(query))
    held = Counter(stem for hit in hits for stem in words.held(hit.item.content, stems))
    return floor(held.values(), len(stems) - len(held), meaning_alone=False)
