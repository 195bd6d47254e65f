"""How the turns that the index found are weighed against each other."""

from __future__ import annotations

from memd.recall import relevance
from memd.recall.context import RecallOptions
from memd.recall.history import Found
from memd.recall.in_memory import InMemoryHistory
from tests.recall.histories import talk


def test_of_the_turns_beside_the_best_the_one_that_bears_on_the_question_itself_comes_first() -> None:
    before, best, after = turns = talk(
        "Bertha came aboard on a rainy day, late, when all of us were asleep already.",
        "Bertha ate forty herrings, and then she slept for so many hours that we worried.",
        "By then both of the buckets were empty, down to a last small bit of grey ice.",
    )
    history = InMemoryHistory(turns, "", RecallOptions())

    ranked = relevance.with_neighbours([Found(best, 1.0), Found(before, 0.2)], history)

    assert [one.turn for one in ranked] == [best, before, after]
