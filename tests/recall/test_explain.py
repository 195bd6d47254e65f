"""The account of a recall (LS16): every turn with its fate, sums, no stored text; LS15 the room."""

from __future__ import annotations

import json

import pytest

from memd.recall import reasons
from memd.recall.explain import REASONS, ExplainedCandidate, ExplainedSection, ExplainedTurn, Explanation
from tests.recall.histories import ask, filler, talk

CANARY = "xylophonic"


def explained(question: str = f"which port has the {CANARY} staging", budget: int = 150) -> Explanation:
    turns = talk(
        f"The {CANARY} staging port is 8080.",
        f"I see. {'The harvest is late. ' * 80} The {CANARY} port 8080 is noted. {'It rains. ' * 80}",
        f"Always name the {CANARY} port when I ask about staging.",
        "I shall.",
    )
    context = ask([*turns, *filler(60)], question, budget=budget, explain=True)
    assert context.explanation is not None
    return context.explanation


def test_LS16_every_turn_of_the_scope_has_its_fate() -> None:
    told = explained()

    assert len(told.turns) == 64
    assert [turn.session for turn in told.turns] == [0] * 4 + [1] * 60
    fates = {turn.id: (turn.status, turn.reason) for turn in told.turns}
    assert fates["s1-0"] == ("kept", None)
    assert fates["s1-1"] == ("clipped", "best_parts")
    assert fates["filler-1000"] == ("dropped", "no_match")


def test_LS16_no_stored_text_is_repeated() -> None:
    assert CANARY not in json.dumps(explained().to_dict())
    assert CANARY not in json.dumps(explained("Should I change the staging port?").to_dict())


def test_LS16_each_part_goes_through_json_and_back() -> None:
    told = explained("Should I change the staging port?")
    turn = next(turn for turn in told.turns if turn.candidates)
    section = told.sections[0]

    assert Explanation.from_dict(json.loads(json.dumps(told.to_dict()))) == told
    assert ExplainedTurn.from_dict(json.loads(json.dumps(turn.to_dict()))) == turn
    assert ExplainedSection.from_dict(json.loads(json.dumps(section.to_dict()))) == section
    candidate = turn.candidates[0]
    assert ExplainedCandidate.from_dict(json.loads(json.dumps(candidate.to_dict()))) == candidate


def test_LS15_the_sections_and_the_room_make_up_the_budget() -> None:
    told = explained("Should I change the staging port?", budget=400)

    shown = [section for section in told.sections if section.shown]
    assert shown
    assert sum(section.tokens for section in shown) + told.room == told.budget == 400


def test_ranks_count_from_one_within_each_pool_and_scores_fall() -> None:
    told = explained()

    for pool in ("user", "reply"):
        ranked = sorted(
            (one for turn in told.turns for one in turn.candidates if one.pool == pool),
            key=lambda one: one.rank or 0,
        )
        assert [one.rank for one in ranked] == list(range(1, len(ranked) + 1))
        scores = [one.score or 0.0 for one in ranked]
        assert scores == sorted(scores, reverse=True)


def test_LS16_of_a_large_scope_the_candidates_are_told_of_and_the_rest_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = explained()
    monkeypatch.setattr(reasons, "LISTED_TURNS", 10)

    told = explained()

    weighed = [turn.id for turn in every.turns if turn.candidates]
    assert [turn.id for turn in told.turns] == weighed
    assert told.rest == {"no_match": 64 - len(weighed)}
    assert told.unattributed_tokens == 0


def test_every_reason_is_documented() -> None:
    assert all(REASONS.values())
    assert {turn.reason for turn in explained().turns} <= {None, *REASONS}
