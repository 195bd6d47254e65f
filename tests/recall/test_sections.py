"""The sections above the turns: what is shown, in what room, and why not (LS12 to LS15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.recall.context import RecallOptions, Sections, StoredTurn
from memd.recall.explain import REASONS, ExplainedSection
from memd.recall.in_memory import InMemoryHistory
from memd.recall.question import read
from memd.recall.sections import ALL_SECTIONS, BEST_ALONE, build
from memd.text.tokens import Counter
from tests.recall.histories import ESTIMATE, EXACT, ask, filler, talk, turn

ADVICE = "How should I write the deploy script?"
HAPPENED = "Have I ever used Terraform?"
TERRAFORM = [
    turn(5, "I set up the VPC with Terraform.", session="march"),
    turn(9, "I have never used Terraform.", session="june"),
]


def _build(turns: Sequence[StoredTurn], query: str, *, counter: Counter = EXACT, **more: object) -> Sections:
    options = RecallOptions(**more)  # type: ignore[arg-type]  # by name
    return build(read(query), InMemoryHistory(turns, query, options), options, counter)


def _section(sections: Sections, name: str) -> ExplainedSection:
    return next(section for section in sections.explained if section.name == name)


def _said(*texts: str) -> list[StoredTurn]:
    return [turn(n, text) for n, text in enumerate(texts)]


def test_LS12_standing_requests_are_shown_without_a_shared_word_and_at_most_three() -> None:
    turns = _said("Always answer in French.", "Never use emojis.", "From now on be brief.", "Call me Sam.")

    context = ask([*turns, *filler(300)], "Help me name a cat", budget=2000)

    assert [one.turn.text for one in context.requests] == [
        "Call me Sam.",
        "From now on be brief.",
        "Never use emojis.",
    ]
    assert context.text.startswith("Earlier requests of the user")
    assert "- [2026-09-21 (Mon) 14:16] Call me Sam.\n" in context.text


def test_LS12_a_request_about_what_is_asked_comes_before_one_about_something_else() -> None:
    turns = _said(
        "When I ask about deployments, list the rollback command.",
        "When I ask about recipes, give metric units.",
    )

    sections = _build(turns, "How should I plan the deployment?")

    assert [one.turn.text for one in sections.requests] == [turns[0].text, turns[1].text]


def test_LS12_what_the_best_request_asks_for_is_fetched_along() -> None:
    turns = [
        turn(1, "When I ask about deployments, always include the rollback command."),
        turn(2, "For the record, helm rollback shop 1 is our rollback command.", session="old"),
        *filler(300),
    ]

    context = ask(turns, "How should I run the deployment?", budget=600)

    assert any("helm rollback shop 1" in one.turn.text for one in context.turns)


@pytest.mark.parametrize("query", ["Which port does staging use?", "What did I say about French?"])
def test_LS12_a_plain_lookup_shows_no_requests(query: str) -> None:
    sections = _build(_said("Always answer in French."), query)

    assert sections.requests == ()
    assert _section(sections, "requests").reason == "route"


def test_LS13_preferences_that_bear_on_a_question_for_advice_are_shown() -> None:
    turns = _said("I prefer bash for deploy scripts.", "I love opera.", "Should I prioritise scripts?")

    sections = _build(turns, ADVICE)

    assert [one.turn.text for one in sections.preferences] == ["I prefer bash for deploy scripts."]
    dropped = [one for one in _section(sections, "preferences").candidates if one.status == "dropped"]
    assert [(one.turn_id, one.reason) for one in dropped] == [("s1-1", "no_match")]


@pytest.mark.parametrize(
    "query", ["The deploy script is red", "Summarise the deploy script work", "Which deploy script?"]
)
def test_LS13_other_questions_show_no_preferences(query: str) -> None:
    sections = _build(_said("I prefer bash for deploy scripts."), query)

    assert _section(sections, "preferences").reason == "route"


def test_LS13_a_preference_that_is_near_in_meaning_is_shown_without_a_shared_word() -> None:
    turns = _said("I'm allergic to peanuts.", "I prefer tabs.")
    query, options = "Which snack should I bring?", RecallOptions()

    def scorer(_: str, texts: Sequence[str]) -> list[float]:
        return [0.6 if "peanuts" in text else 0.1 for text in texts]

    sections = build(read(query), InMemoryHistory(turns, query, options, scorer), options, EXACT)

    assert [one.turn.text for one in sections.preferences] == ["I'm allergic to peanuts."]


def test_LS14_both_sides_of_a_conflict_are_shown_in_the_order_of_their_dates() -> None:
    context = ask([*reversed(TERRAFORM), *filler(300)], HAPPENED, budget=1000, explain=True)

    assert [one.turn.text for one in context.conflicts] == [one.text for one in TERRAFORM]
    assert context.text.index("VPC") < context.text.index("never used")
    assert context.explanation is not None
    section = next(one for one in context.explanation.sections if one.name == "conflicts")
    assert sorted((one.turn_id, one.side) for one in section.candidates) == [
        ("june-9", "denies"),
        ("march-5", "affirms"),
    ]


@pytest.mark.parametrize("side", TERRAFORM)
def test_LS14_one_side_alone_is_no_conflict(side: StoredTurn) -> None:
    sections = _build([side, *filler(20)], HAPPENED)

    section = _section(sections, "conflicts")
    assert (sections.conflicts, section.shown, section.reason) == ((), False, "one_sided")
    assert [one.reason for one in section.candidates] == ["one_sided"]


def test_LS14_what_bears_on_something_else_is_no_side() -> None:
    turns = [TERRAFORM[1], turn(20, "I used the new printer."), turn(21, "We used a broom.")]

    assert _build(turns, HAPPENED).conflicts == ()


@pytest.mark.parametrize("query", ["What did I say about Terraform?", "Should I use Terraform?"])
def test_LS14_a_question_of_another_kind_shows_no_conflict(query: str) -> None:
    assert _section(_build(TERRAFORM, query), "conflicts").reason == "route"


@pytest.mark.parametrize("name", ["requests", "preferences", "conflicts"])
def test_each_section_can_be_switched_off(name: str) -> None:
    turns = [*TERRAFORM, turn(1, "Always use tabs."), turn(2, "I prefer tabs.")]

    sections = _build(turns, "Have I ever used Terraform? Should I use it with tabs?", **{name: False})

    assert _section(sections, name).reason == "off"
    assert {one.name for one in sections.explained if one.shown} == {
        "requests",
        "preferences",
        "conflicts",
    } - {name}


def test_nothing_stated_is_told_as_such() -> None:
    sections = _build(filler(10), ADVICE)

    assert [one.reason for one in sections.explained] == ["no_statement", "no_statement", "route"]
    assert sections.text == ""


def test_the_same_words_are_shown_once_and_as_said_last() -> None:
    turns = _said("Always use tabs.", "always use tabs")

    sections = _build(turns, ADVICE)

    assert [one.turn.id for one in sections.requests] == ["s1-1"]
    assert [one.reason for one in _section(sections, "requests").candidates] == [None, "duplicate"]


def test_a_statement_within_a_turn_is_told_as_a_part_of_it() -> None:
    (one,) = _build(_said("The build is green. Always use tabs."), ADVICE).requests

    assert one.partial


def test_LS15_statements_keep_within_the_cap_of_their_section() -> None:
    turns = _said(*(f"I prefer deploy script number {n} over all others." for n in range(60)))

    section = _section(_build(turns, ADVICE, budget=1000), "preferences")

    assert section.cap == 150
    assert 100 < section.tokens <= section.cap
    assert {one.reason for one in section.candidates if one.status == "dropped"} == {"over_budget"}


def test_LS15_the_best_statement_may_be_over_the_cap_on_a_small_budget() -> None:
    turns = _said("I prefer deploy scripts in bash.", "I prefer deploy scripts that are short.")

    section = _section(_build(turns, ADVICE, budget=80), "preferences")

    assert section.cap < section.tokens <= 80 * BEST_ALONE
    assert [one.status for one in section.candidates] == ["kept", "dropped"]


def test_LS15_a_statement_of_more_than_half_the_budget_is_not_shown() -> None:
    turns = _said("I prefer deploy scripts in bash" + " and in plain words" * 18 + ".")

    section = _section(_build(turns, ADVICE, budget=100), "preferences")

    assert (section.shown, section.reason, section.tokens) == (False, "over_cap", 0)
    assert [one.reason for one in section.candidates] == ["over_cap"]


def test_LS15_all_sections_leave_room_for_the_turns() -> None:
    long = " and that the deploy script for Terraform is written with much care indeed" * 2
    turns = _said(
        f"Always make sure{long}.",
        f"I prefer{long}.",
        f"I have Terraform{long[:80]}.",
        f"I never had Terraform{long[:80]}.",
    )

    sections = _build(turns, f"{HAPPENED} {ADVICE}", budget=120)

    assert EXACT.count(sections.text) <= 120 * ALL_SECTIONS
    assert "no_room" in [one.reason for one in sections.explained]


STATED = st.sampled_from(
    [
        "Always use tabs in deploy scripts.",
        "Never use Terraform.",
        "I prefer short deploy scripts.",
        "I love Terraform.",
        "I have never used Terraform.",
        "I used Terraform for the deploy script.",
        "When I ask about scripts, show the shebang.",
        "It rains.",
        "以后都用中文回答。",
    ]
)


@given(
    st.lists(st.lists(STATED, min_size=1, max_size=4).map(" ".join), max_size=30),
    st.sampled_from([ADVICE, HAPPENED, f"{HAPPENED} {ADVICE}", "Which script?"]),
    st.integers(1, 300),
    st.sampled_from([EXACT, ESTIMATE]),
)
@settings(max_examples=150, deadline=None)
def test_LS15_tokens_add_up_and_every_dropped_statement_has_its_reason(
    texts: list[str], query: str, budget: int, counter: Counter
) -> None:
    sections = _build(_said(*texts), query, counter=counter, budget=budget)

    told = sections.explained
    assert [one.name for one in told] == ["requests", "preferences", "conflicts"]
    assert sum(one.tokens for one in told) >= counter.count(sections.text)
    assert counter is ESTIMATE or sum(one.tokens for one in told) == counter.count(sections.text)
    assert sum(one.tokens for one in told) <= budget * ALL_SECTIONS
    for section in told:
        assert section.shown == (section.reason is None) == (section.tokens > 0)
        assert section.reason is None or section.reason in REASONS
        assert [one.rank for one in section.candidates] == list(range(1, len(section.candidates) + 1))
        for one in section.candidates:
            assert (one.reason is None) == (one.status == "kept")
            assert one.reason is None or one.reason in REASONS
    shown = (*sections.requests, *sections.preferences, *sections.conflicts)
    assert sections.text.count("\n- ") == len(shown)
    assert all(
        any(line[2:].partition("] ")[2] in one.turn.text for one in shown)
        for line in sections.text.splitlines()
        if line.startswith("- ")
    )


def test_the_order_in_which_turns_come_changes_nothing() -> None:
    turns = [*TERRAFORM, *talk("Always use tabs.", "ok", "I prefer tabs.", session="s9")]
    later = [replace(one, seq=one.seq) for one in reversed(turns)]

    query = f"{HAPPENED} Should I use tabs?"

    assert _build(turns, query) == _build(later, query)
