"""How much a stored text bears on a prompt, from 0 to 1, by its words and its meaning.

A word weighs the more the fewer texts hold it; one that no text holds weighs most, so that what is asked about
something unheard of finds little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from memd.db.keyword import Plan
from memd.injection import query
from memd.recall import candidates
from memd.recall import relevance as recall
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.text import words
from memd.turns.recalled import Row

WORDS = 0.9  # what holding all words of a prompt adds to a cosine
LEAST_NEAR = 0.35  # a cosine below it is chance
WORDS_ALONE = 1.0  # of the share of the words that a text holds, where meaning tells nothing
HELD_ALONE = 2  # words at least
WHOLE_CHARS = 400  # of a turn; of a longer one its best window is shown


@dataclass(frozen=True, slots=True)
class Asked:
    """The telling words of a prompt, each with its weight."""

    weights: Mapping[str, float]

    @classmethod
    def of(cls, text: str, plan: Plan) -> Asked:
        """The words of a prompt, weighed by what the plan knows of them."""
        counts: dict[str, int] = {}
        for term, cost in plan.costs.items():
            for word in term.said:
                stem = words.stem(word)
                counts[stem] = max(counts.get(stem, 0), cost)
        return cls({stem: 1 / math.log2(2 + counts.get(stem, 0)) for stem in query.telling(text)})

    def relevance(self, text: str, cosine: float | None) -> float:
        """How much a text bears on the prompt."""
        held = words.held(text, self.weights)
        share = sum(self.weights[stem] for stem in held) / (sum(self.weights.values()) or 1.0)
        by_words = WORDS_ALONE * share if len(held) >= HELD_ALONE else 0.0
        if cosine is None or cosine < LEAST_NEAR:
            return by_words
        return max(by_words, (cosine + WORDS * share) / (1 + WORDS))

    def window(self, row: Row) -> str:
        """What to show of a turn: all of a short one, of a long one the window that holds most of the prompt."""
        turn = StoredTurn(*row)
        if len(turn.text) <= WHOLE_CHARS:
            return turn.text
        whole = Candidate(turn, candidates.pool_of(turn), "turn", 0, 0, len(turn.text), 0.0)
        return recall.best_window(recall.Asked(self.weights), whole).text
