"""What recall finds in the labelled conversations keeps to its floors; ``tests.bench.recalling`` prints the table."""

from __future__ import annotations

from functools import cache

import pytest

from tests.bench import labelled, scoring
from tests.bench.recalling import BUDGETS, Mode, Score, by_meaning_alone, overall, score

FLOORS: dict[Mode, dict[str, float]] = {
    "lexical": {"recall@5": 0.60, "recall@10": 0.62, "coverage@1000": 0.68},
    "hybrid": {
        "recall@5": 0.72,
        "recall@10": 0.80,
        "coverage@500": 0.80,
        "coverage@1000": 0.87,
        "coverage@2000": 0.90,
    },
}


@cache
def _scores(mode: Mode) -> list[Score]:
    return score(mode, BUDGETS if mode == "hybrid" else (1000,))


def test_the_labelled_set_is_whole() -> None:
    turns = [turn for project in labelled.PROJECTS for turn in labelled.turns(project)]
    questions = labelled.questions()
    known = {turn.id for turn in turns}

    assert len(questions) >= 100
    assert len(known) == len(turns) >= 500
    assert {one for asked in questions for one in asked.evidence} <= known
    assert len({(asked.project, asked.text) for asked in questions}) == len(questions)
    weeks = (max(turn.sort_ms for turn in turns) - min(turn.sort_ms for turn in turns)) / (7 * 86_400_000)
    assert weeks > 6


@pytest.mark.parametrize("mode", FLOORS)
def test_LS18_LS19_questions_find_their_turns(mode: Mode) -> None:
    figures = overall(_scores(mode))

    below = {name: figures[name] for name, floor in FLOORS[mode].items() if figures[name] < floor}
    assert not below


@pytest.mark.parametrize("most", [5, 10])
def test_L4_both_lanes_find_more_than_meaning_alone(most: int) -> None:
    assert overall(_scores("hybrid"))[f"recall@{most}"] > by_meaning_alone(most)


@pytest.mark.parametrize("kind", ["conflict", "request", "preference"])
def test_LS12_LS13_LS14_what_the_user_said_to_hold_is_there_when_it_matters(kind: str) -> None:
    covered = [one.coverage[1000] for one in _scores("lexical") if one.asked.kind == kind]

    assert scoring.mean(covered) >= 0.85


def test_evidence_stands_in_a_text_whole_or_with_most_of_its_words_in_a_row() -> None:
    turn = "The pool is set to fifteen connections for each worker."

    assert scoring.coverage(f"x\n[2026] user: {turn}", [turn]) == 1
    assert scoring.coverage("pool is set to fifteen connections for", [turn, "Never."]) == 0.5
    assert scoring.coverage("the pool of fifteen workers", [turn]) == 0
    assert scoring.recall_at(2, ["a", "b", "c"], ["b", "c"]) == 0.5
