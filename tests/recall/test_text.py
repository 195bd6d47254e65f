"""The text of a context: LS04 the whole history where it fits, LS07 its date labels, L13 each turn's own time."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import pytest

from memd.recall.account import NO_ROOM, NOTHING_STORED
from tests.recall.histories import EXACT, ask, filler, talk, turn

PORTS = talk(
    "The staging port is 8080.",
    "Noted: staging listens on port 8080.",
    "And the port of production?",
    "Production uses port 443.",
)


def test_LS04_a_history_that_fits_is_given_whole_under_full_stamps() -> None:
    turns = [*talk("One.", "Two.", session="a"), *talk("Three.", session="b", start=60)]

    context = ask(turns, "anything")

    assert context.text == (
        "[2026-09-21 (Mon) 14:13] user: One.\n"
        "[2026-09-21 (Mon) 14:14] assistant: Two.\n"
        "\n"
        "[2026-09-21 (Mon) 15:13] user: Three."
    )
    assert context.sessions_kept == context.sessions_total == 2


def test_LS04_the_whole_history_is_given_from_the_very_budget_that_holds_it() -> None:
    needed = ask(PORTS, "port", budget=5).history_tokens

    assert ask(PORTS, "port", budget=needed, explain=True).explanation.mode == "whole_history"  # type: ignore[union-attr]
    assert ask(PORTS, "port", budget=needed - 1, explain=True).explanation.mode == "turns"  # type: ignore[union-attr]
    assert ask(PORTS, "port", budget=needed).tokens == needed


def selected(**more: object) -> list[str]:
    """The lines about the ports, chosen from a long history."""
    turns = [
        turn(0, "The staging port is 8080."),
        turn(1, "The staging port must stay open.", role="assistant", minute=0),
        turn(2, "The staging port moved to 9090."),
        turn(3, "The staging port of the other team is 7070.", session="s2", minute=600),
        *filler(60),
    ]
    return ask(turns, "What is the staging port?", budget=200, **more).text.split("\n")


def test_LS07_the_first_turn_of_a_session_and_a_changed_time_show_the_stamp_and_others_the_role_alone() -> (
    None
):
    assert selected() == [
        "[2026-09-21 (Mon) 14:13] user: The staging port is 8080.",
        "assistant: The staging port must stay open.",
        "[2026-09-21 (Mon) 14:15] user: The staging port moved to 9090.",
        "",
        "[2026-09-22 (Tue) 00:13] user: The staging port of the other team is 7070.",
    ]


def test_LS07_a_date_format_labels_what_has_no_stamp() -> None:
    assert selected(date_format="%Y-%m-%d")[1] == "[2026-09-21] assistant: The staging port must stay open."


def test_LS07_a_stamp_format_as_date_format_stamps_every_turn() -> None:
    lines = selected(stamp_format="%H:%M", date_format="%H:%M")

    assert [line[:8] for line in lines if line] == ["[14:13] ", "[14:13] ", "[14:15] ", "[00:13] "]


@pytest.mark.parametrize(
    ("zone", "stamp"),
    [
        (UTC, "2026-09-21 (Mon) 14:13"),
        (timezone(timedelta(hours=10)), "2026-09-22 (Tue) 00:13"),
        (timezone(timedelta(hours=-5, minutes=-30)), "2026-09-21 (Mon) 08:43"),
    ],
)
def test_LS07_dates_are_those_of_the_time_zone(zone: timezone, stamp: str) -> None:
    assert selected(tz=zone)[0].startswith(f"[{stamp}] user: ")


def test_a_turn_without_a_time_shows_none() -> None:
    timeless = turn(0, "No time at all.").__class__("t", "user", "No time at all.", "s", 0)

    assert ask([timeless], "time").text == "user: No time at all."


def test_L13_each_turn_of_a_session_shows_its_own_time() -> None:
    lines = ask(talk("One.", "Two.", "Three."), "anything").text.split("\n")

    assert [line[18:23] for line in lines] == ["14:13", "14:14", "14:15"]


def test_L15_the_answer_names_what_its_tokens_were_counted_with() -> None:
    context = ask(PORTS, "port")

    assert context.counter == "cl100k_base"
    assert context.tokens == EXACT.count(context.text)


def test_a_store_without_turns_says_so() -> None:
    context = ask([], "port")

    assert (context.text, context.note) == ("", NOTHING_STORED)


def test_a_budget_of_one_token_holds_nothing_and_says_so() -> None:
    context = ask(PORTS, "port", budget=1)

    assert (context.text, context.note) == ("", NO_ROOM)


def test_LS05_a_small_budget_cuts_to_whole_words_as_a_last_resort() -> None:
    context = ask(
        [turn(0, "The staging port is 8080 now."), *filler(40)], "staging port", budget=6, explain=True
    )

    assert context.text == "user: The staging port is"
    assert context.explanation is not None
    assert context.explanation.clipped
    assert context.turns[0].partial
