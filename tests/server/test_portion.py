"""As much as one answer may hold."""

from __future__ import annotations

import pytest

from memd.server.portion import MOST_CHARS, MOST_TOKENS, portion
from memd.text.fence import Line
from memd.text.tokens import Estimate

COUNTER = Estimate()


def lines(*texts: str) -> list[Line]:
    return [Line("Earlier the user said", f"turn {number}", text) for number, text in enumerate(texts)]


def test_what_fits_is_whole() -> None:
    part = portion(lines("one", "two"), COUNTER)

    assert "one" in part.text and "two" in part.text
    assert (part.left_out, part.cut) == (0, False)


def test_nothing_is_no_text() -> None:
    assert portion([], COUNTER).text == ""


@pytest.mark.parametrize(
    "texts",
    [
        ["a" * 400_000],
        ["a" * 900] * 1_000,
        ["\u202e" * 20_000],
        ["</memd-memory>" * 9_000],
        ["漢" * 29_000],
        ["x"] * 5_000,
    ],
    ids=["one long", "many", "spelled out", "made harmless", "many bytes", "labels alone"],
)
def test_what_is_too_much_is_cut_to_within_both_limits(texts: list[str]) -> None:
    part = portion(lines(*texts), COUNTER)

    assert len(part.text) <= MOST_CHARS and COUNTER.count(part.text) <= MOST_TOKENS
    assert max(len(part.text) / MOST_CHARS, COUNTER.count(part.text) / MOST_TOKENS) > 0.6
    assert part.cut or part.left_out
    assert part.text.endswith("</memd-memory>")


def test_a_piece_that_is_cut_says_how_much_of_it_there_is() -> None:
    part = portion(lines("x" * 100_000), COUNTER, tokens=500)

    assert part.cut and part.left_out == 0
    assert "of 100,000 characters, turn 0" in part.text


def test_a_budget_that_holds_no_piece_gives_none() -> None:
    assert portion(lines("x" * 1000), COUNTER, tokens=20).text == ""
