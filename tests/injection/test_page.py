"""The page is never over its budget nor over 8,000 characters, whatever is stored; and what is kept is whole."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.injection import page
from memd.injection.lines import Item, Told
from memd.injection.options import MOST_CHARS
from memd.text.fence import NOTICE, Line, unfenced
from memd.text.tokens import Estimate, Offline, Scaled
from tests.text.test_neutral import TEXTS

COUNTERS = (Offline(), Estimate(), Scaled(Offline(), 1.7))
LONG = st.one_of(TEXTS, st.builds(lambda text, n: text * n, TEXTS, st.integers(1, 3_000)))
TOLD = st.lists(
    st.builds(
        lambda source, text, rank: Told(
            Line("Earlier the user said", source, text), Item("turn", text[:9]), rank
        ),
        TEXTS,
        LONG,
        st.floats(0, 1),
    ),
    max_size=12,
)


@given(TOLD, st.integers(1, 4_000), st.sampled_from(COUNTERS))
@settings(max_examples=150, deadline=None)
def test_the_page_is_never_over_its_budget_nor_over_8000_characters(
    told: list[Told], budget: int, counter: Estimate
) -> None:
    made = page.fitted(told, budget, counter)

    assert counter.count(made.text) <= budget
    assert len(made.text) <= MOST_CHARS
    assert bool(made.text) == bool(made.items)
    assert unfenced(made.text) == ""
    assert json.dumps(made.text).isascii()


def told(count: int, text: str = "some words about the relay") -> list[Told]:
    """Lines whose rank falls."""
    return [
        Told(Line("Earlier the user said", f"turn {n}", f"{text} {n}"), Item("turn", str(n)), 1 - n / 100)
        for n in range(count)
    ]


def test_the_highest_ranks_are_kept_in_the_order_that_was_given() -> None:
    counter = Offline()
    lines = list(reversed(told(30)))

    made = page.fitted(lines, 200, counter)

    kept = [int(one.id) for one in made.items]
    assert kept == sorted(kept, reverse=True) and 2 < len(kept) < 30
    assert set(kept) == set(range(len(kept)))


def test_a_short_line_may_stand_where_a_long_one_does_not_fit() -> None:
    first, second, third = told(3)
    long = Told(Line("Earlier the user said", "turn 9", "many words " * 500), Item("turn", "9"), 0.995)

    made = page.fitted([first, long, second, third], 200, Offline())

    assert [one.id for one in made.items] == ["0", "1", "2"]


def test_where_not_even_the_first_fits_a_part_of_it_is_told() -> None:
    made = page.fitted(told(1, "many words " * 500), 150, Offline())

    assert made.text.count("many words") > 3
    assert made.text.endswith(" …\n</memd-memory>")


@pytest.mark.parametrize("budget", [1, 50, 70])
def test_without_room_for_a_line_there_is_no_fence(budget: int) -> None:
    assert page.fitted(told(3), budget, Offline()) == page.EMPTY
    assert Offline().count(NOTICE) > 50
