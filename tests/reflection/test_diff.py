"""Operations as a person sees them."""

from __future__ import annotations

from memd.reflection import diff
from memd.reflection.op import Add, Merge, Retire, Rewrite


def test_every_operation_shows_what_goes_and_what_comes() -> None:
    """MC27: golden."""
    ops = [
        Add("a new fact", (1,)),
        Rewrite("the old text", "the new text", (2, 3)),
        Rewrite("old", "new"),
        Retire("a gone fact", (4,)),
        Retire("another"),
        Merge("one fact", (5, 6, 7)),
        Merge("one more", (8, 9)),
        Merge("of nothing"),
    ]

    assert diff.render(ops, {5: "the fifth", 7: "the seventh"}) == (
        "Proposed MEMORY.md changes:\n"
        "\n"
        "+ a new fact\n"
        "~ the old text\n"
        "    → the new text   [supersede #2, #3]\n"
        "~ old\n"
        "    → new\n"
        "- a gone fact   [retire #4]\n"
        "- another\n"
        "- #5 the fifth\n"
        "- #7 the seventh\n"
        "+ one fact\n"
        "+ one more   [merge #8, #9]\n"
        "+ of nothing"
    )


def test_a_merge_of_lines_shows_each_that_goes() -> None:
    assert diff.render([Merge("both", (3,), ("one", "two"))]).splitlines()[2:] == [
        "- one",
        "- two",
        "+ both   [merge #3]",
    ]
