"""Semantic relevance: what a cross-encoder says of the best candidates ranks them."""

from __future__ import annotations

from collections.abc import Sequence

from memd.recall import rescoring
from memd.recall.candidates import Candidate, whole
from memd.recall.context import Context, RecallOptions, StoredTurn
from memd.recall.in_memory import InMemoryHistory
from memd.recall.recall import recall
from memd.recall.rescoring import PAIRS, Rescorer, rescored
from memd.text.tokens import Estimate

QUESTION = "which port does the staging server listen on"
ANSWER = "It answers at 8443 there, says the staging server's notes."


def turns() -> list[StoredTurn]:
    """Many turns that repeat the question's words, and one that answers it."""
    said = [f"The staging server needs a port, listen: matter {n}." for n in range(30)]
    return [
        StoredTurn(f"t{n}", "user", text, "s", n, sort_ms=n, at_ms=n)
        for n, text in enumerate([*said, ANSWER])
    ]


def ask(rescore: Rescorer | None) -> Context:
    options = RecallOptions(budget=90, relevance="semantic", explain=True)
    return recall(QUESTION, InMemoryHistory(turns(), QUESTION, options), options, Estimate(), rescore)


def knows(query: str, texts: Sequence[str]) -> list[float]:
    """The fake cross-encoder: on a scale of its own, as models are."""
    return [7.5 if "8443" in text else -3.25 for text in texts]


def candidates(n: int) -> list[Candidate]:
    return [whole(StoredTurn(f"t{at}", "user", f"text {at}", "s", at), 1 - at / 1000) for at in range(n)]


def test_what_the_cross_encoder_prefers_is_in_the_text() -> None:
    assert ANSWER not in ask(None).text
    assert ANSWER in ask(knows).text


def test_the_answer_is_the_same_twice_and_adds_up() -> None:
    first = ask(knows)

    assert ask(knows) == first
    assert first.tokens <= first.budget


def test_where_nothing_can_be_told_the_order_stays_as_it_was() -> None:
    assert ask(lambda query, texts: None) == ask(None)


def test_only_so_many_pairs_are_read_and_what_was_not_read_stays_below() -> None:
    asked: list[str] = []

    def read(query: str, texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [float(n) for n in range(len(texts))]

    found = rescored("a question", candidates(200), read)

    assert asked == [f"text {n}" for n in range(PAIRS)]
    best = sorted(found, key=lambda one: -one.score)
    assert [one.turn.id for one in best[:2]] == [f"t{PAIRS - 1}", f"t{PAIRS - 2}"]
    assert {one.turn.id for one in best[:PAIRS]} == {f"t{n}" for n in range(PAIRS)}


def test_equal_scores_of_the_model_change_no_order() -> None:
    found = rescored("a question", candidates(10), lambda query, texts: [0.5] * len(texts))

    assert [one.turn.id for one in sorted(found, key=lambda one: -one.score)] == [f"t{n}" for n in range(10)]


def test_of_a_long_question_its_end_is_read() -> None:
    queries: list[str] = []

    def read(query: str, texts: Sequence[str]) -> list[float]:
        queries.append(query)
        return [0.0] * len(texts)

    rescored(f"{'word ' * 500}end", candidates(2), read)

    assert queries == [" ".join(["word"] * (rescoring.QUERY_WORDS - 1) + ["end"])]
