"""The words of turns in MongoDB, for ranking: an index of words tells who holds them, each turn how often it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memd.turns.stores.mongo.document import number
from memd.turns.stores.mongo.driver import Collection
from memd.turns.stores.ranking import RANKED, Sought, score

COUNTED = 10 * RANKED  # turns up to which those that hold a word are counted


class WordIndex:
    """The words of the turns of a condition."""

    def __init__(self, turns: Collection, which: Mapping[str, object]) -> None:
        self._turns, self._which = turns, which

    def holding(self, words: Sequence[str]) -> Mapping[str, int]:
        """How many turns hold each word, of those of every scope."""
        return {word: self._turns.count_documents({"words": word}, limit=COUNTED) for word in words}

    def ranked(self, sought: Sought, limit: int) -> dict[int, float]:
        """The best of the newest turns that are sought, with their scores."""
        held = {"$filter": {"input": "$words", "as": "w", "cond": {"$in": ["$$w", list(sought.weights)]}}}
        found = self._turns.aggregate(
            [
                {"$match": {"words": {"$all" if sought.every else "$in": list(sought.words)}, **self._which}},
                {"$sort": {"seq": -1}},
                {"$limit": RANKED},
                {"$project": {"_id": 0, "seq": 1, "size": 1, "held": held}},
            ]
        )
        scores = {
            number(one["seq"]): score(_counted(one["held"]), number(one["size"]), sought) for one in found
        }
        best = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:limit]
        return {seq: scores[seq] for seq in best}


def _counted(words: object) -> Counter[str]:
    return Counter(words if isinstance(words, list) else ())
