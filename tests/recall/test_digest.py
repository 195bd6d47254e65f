"""Summaries (LS11): what each turn set out with, early and late, without code."""

from __future__ import annotations

import pytest

from memd.recall import digest
from memd.recall.context import StoredTurn
from tests.recall.histories import ask, filler, talk, turn

OVERVIEW = "Summarise what we discussed."


def sessions(n: int) -> list[StoredTurn]:
    """Fifty weeks of an exchange each."""
    return [
        one
        for week in range(n)
        for one in talk(
            f"In week {week} I want to plan the harbour of town {week}. It has many details, as you will see below.",
            f"Let us begin with the pier of town {week}.\n\n```\npier({week})\n```\n\n{'It is long. ' * 60}",
            session=f"w{week:02}",
            start=week * 10_000,
        )
    ]


def test_LS11_a_summary_has_early_and_late_turns_and_no_code() -> None:
    context = ask(sessions(50), OVERVIEW, budget=600, explain=True)

    assert context.explanation is not None
    assert context.explanation.mode == "digest"
    weeks = sorted(int(one.turn.session[1:]) for one in context.turns)
    assert min(weeks) < 5 and max(weeks) > 45
    assert "pier(" not in context.text
    assert "In week" in context.text


def test_LS11_where_all_openings_fit_nothing_is_ranked() -> None:
    turns = sessions(6)

    context = ask(turns, OVERVIEW, budget=800, explain=True)

    openings = [one for told in context.explanation.turns for one in told.candidates if one.kind == "opening"]  # type: ignore[union-attr]
    assert len(openings) == len(turns)
    assert {(one.rank, one.score, one.status) for one in openings} == {(None, None, "kept")}


def test_LS11_the_room_that_openings_leave_goes_to_details_of_replies() -> None:
    turns = [*sessions(3), turn(90_000, "The mole of town 1 is long. " * 40, role="assistant", session="x")]

    context = ask(turns, "Summarise what we discussed about the mole of town 1.", budget=500, explain=True)

    details = [one for told in context.explanation.turns for one in told.candidates if one.pool == "detail"]  # type: ignore[union-attr]
    assert any(one.status in ("kept", "clipped") for one in details)


@pytest.mark.parametrize(
    ("coverage", "question", "mode"),
    [
        ("auto", OVERVIEW, "digest"),
        ("auto", "Which harbour did town 3 get?", "turns"),
        ("always", "Which harbour did town 3 get?", "digest"),
        ("never", OVERVIEW, "turns"),
    ],
)
def test_LS10_LS11_coverage_says_when_a_summary_is_given(coverage: str, question: str, mode: str) -> None:
    context = ask(sessions(20), question, budget=300, coverage=coverage, explain=True)

    assert context.explanation is not None
    assert context.explanation.mode == mode


@pytest.mark.parametrize(
    ("n", "order"), [(0, []), (1, [0]), (2, [0, 1]), (5, [0, 4, 2, 1, 3]), (6, [0, 5, 2, 1, 3, 4])]
)
def test_slices_are_tried_from_both_ends_inwards(n: int, order: list[int]) -> None:
    assert digest.halving(n) == order


def test_a_turn_that_no_room_was_left_for_is_told_of() -> None:
    context = ask([*sessions(50), *filler(10, start=900_000)], OVERVIEW, budget=200, explain=True)

    dropped = {one.reason for one in context.explanation.turns if one.status == "dropped"}  # type: ignore[union-attr]
    assert dropped <= {"not_sampled", "duplicate", "over_budget", "pool_full"}
