"""What a model replies to a reflection, whatever its shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.reflection import grammar, reply
from memd.reflection.op import Add, Found, Insight, Merge, Retire, Rewrite
from memd.reflection.reply import Unreadable

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["insights", "operations", "ops", "op", "old", "new", "entries", "text", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def found(text: str, data: object = None, known: tuple[str, ...] = ()) -> Found:
    read = reply.read(data, text, known)
    assert isinstance(read, Found), read
    return read


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("MEMORY_ADD: Deploys go out on Tuesdays", Add("Deploys go out on Tuesdays")),
        ("MEMORY_UPDATE: a fact", Add("a fact")),
        ("MEMORY_ADD: a fact [entries: #3]", Add("a fact", (3,))),
        ("MEMORY_REWRITE: old one -> new one", Rewrite("old one", "new one")),
        ("MEMORY_REWRITE: old->new [Entries: #12, #34, #12]", Rewrite("old", "new", (12, 34))),
        ("MEMORY_MERGE: one fact [entries: 5 and 9]", Merge("one fact", (5, 9))),
        ("MEMORY_RETIRE: an old fact [entries: #7]", Retire("an old fact", (7,))),
        ("MEMORY_RETIRE: an old fact", Retire("an old fact")),
    ],
)
def test_every_line_of_the_grammar_is_an_operation(line: str, meant: object) -> None:
    """MC26"""
    assert found(line).ops == (meant,)


@pytest.mark.parametrize(
    "line",
    [
        "INSIGHT: tests guard the release",
        "  INSIGHT: tests guard the release  ",
        "- INSIGHT: tests guard the release",
        "* **INSIGHT:** tests guard the release",
        "**INSIGHT: tests guard the release**",
        "**INSIGHT**: tests guard the release",
        "1. INSIGHT: tests guard the release",
        "2) `INSIGHT:` tests guard the release",
        "> - INSIGHT: tests guard the release",
        "### INSIGHT: tests guard the release",
        "Insight: tests guard the release",
    ],
)
def test_bullets_numbers_and_bold_lose_no_line(line: str) -> None:
    """MC26, W14"""
    assert found(line) == Found((Insight("tests guard the release"),))


def test_an_arrow_inside_the_old_text_does_not_split_it() -> None:
    """W14: the curated file tells where the old text ends."""
    line = "MEMORY_REWRITE: main -> staging -> prod is the order -> deploys go to prod at once"

    told = found(line, known=("main -> staging -> prod is the order",))
    untold = found(line)

    assert told.ops == (Rewrite("main -> staging -> prod is the order", "deploys go to prod at once"),)
    assert untold.ops == (Rewrite("main", "staging -> prod is the order -> deploys go to prod at once"),)


def test_a_rule_across_the_page_is_no_statement() -> None:
    """Beside an item's bullet it would be none that anything finds again."""
    ops = [{"op": "add", "new": "---"}, {"op": "rewrite", "old": "one", "new": "* * *"}]

    for read in (found("", {"insights": ["..."], "operations": ops}), found("MEMORY_ADD: ***")):
        assert not (read.insights or read.ops)
        assert {one.why for one in read.dropped} == {"it says nothing"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("MEMORY_REWRITE: no arrow here", "it has no arrow between old and new"),
        ("MEMORY_REWRITE: -> new", "it names no one statement to rewrite"),
        ("MEMORY_REWRITE: old ->", "it says nothing new"),
        ("MEMORY_ADD:", "it says nothing new"),
        ("MEMORY_RETIRE: [entries: #4]", "it names no one statement to retire"),
        ("INSIGHT:", "it says nothing"),
        ("I also thought about the build.", "it has no marker"),
    ],
)
def test_a_line_that_is_dropped_is_told(line: str, why: str) -> None:
    """W14"""
    read = found(f"INSIGHT: one\n## Operations\nHere they are:\n\n{line}\n---")

    assert read.insights == (Insight("one"),)
    assert [(one.text, one.why) for one in read.dropped] == [(line, why)]
    assert not read.ops


def test_a_structured_reply_gives_insights_and_operations() -> None:
    read = found(
        "",
        {
            "insights": [{"text": "tests guard the release", "entries": [1, 2]}],
            "operations": [
                {"op": "add", "old": [], "new": "a fact", "entries": [1]},
                {"op": "rewrite", "old": ["old"], "new": "new", "entries": [2]},
                {"op": "merge", "old": ["one", "two"], "new": "both", "entries": [3, 4]},
                {"op": "retire", "old": ["gone"], "new": "", "entries": []},
            ],
        },
    )

    assert read.insights == (Insight("tests guard the release", (1, 2)),)
    assert read.ops == (
        Add("a fact", (1,)),
        Rewrite("old", "new", (2,)),
        Merge("both", (3, 4), ("one", "two")),
        Retire("gone"),
    )


def test_what_can_be_meant_is_taken_from_a_structured_reply() -> None:
    """W22: texts for numbers, a text for a list, the seed's names."""
    read = found(
        "",
        {
            "insights": ["a plain text\nin two lines", None, 7],
            "ops": [
                {"op": "MEMORY_UPDATE", "new": "a fact", "entry_ids": "#1, #2"},
                {"op": "retire", "old": "gone", "entries": [True, "x", -1, 3.5, "#9", 10**30]},
                {"op": "explode", "new": "x"},
                "no operation",
            ],
        },
    )

    assert read.insights == (Insight("a plain text in two lines"),)
    assert read.ops == (Add("a fact", (1, 2)), Retire("gone", (9,)))
    assert [one.why for one in read.dropped] == [
        "it says nothing",
        "it says nothing",
        "it is no operation",
        "it is no operation",
    ]


@pytest.mark.parametrize("frame", ["{}", "Here it is:\n```json\n{}\n```\nDone.", "So: {} and that is all."])
def test_json_within_a_text_is_found(frame: str) -> None:
    inner = json.dumps({"insights": [{"text": "one", "entries": []}], "operations": []})

    assert found(frame.replace("{}", inner)).insights == (Insight("one"),)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", {"insights": [], "operations": []}),
        ("", {"insights": None, "operations": None}),
        ("Nothing to record.", None),
        ("There are no new insights.", None),
        ("NONE", None),
    ],
)
def test_nothing_to_record_is_an_answer(text: str, data: object) -> None:
    assert found(text, data) == Found()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n ",
        "I have no idea what you want of me.",
        "The entries tell a story of a team that tests a lot.\nI would like to know more.",
        '{"insights": [{"text": "cut of',
        '{"insights": "a text", "operations": 7}',
        '{"something": []}',
        "[" * 100_000,
        "9" * 100_000,
        "x" * 10_000_000,
    ],
)
def test_prose_and_what_is_cut_are_no_reply(text: str) -> None:
    assert isinstance(reply.read(None, text), Unreadable)


def test_a_statement_that_is_too_long_and_one_too_many_are_dropped() -> None:
    many = [{"text": f"insight {number}", "entries": []} for number in range(reply.MOST_ITEMS + 1)]
    read = found("", {"insights": [{"text": "x" * 5_000, "entries": []}, *many], "operations": []})

    assert len(read.insights) == reply.MOST_ITEMS
    assert [one.why for one in read.dropped] == [
        "it is longer than 2000 characters",
        "it is one of more than 100",
    ]


@given(JSON)
@example({"insights": [{"text": "\ud800\0", "entries": [None]}], "operations": [[]]})
def test_no_shape_of_json_is_too_odd(data: Any) -> None:
    """W22: whatever comes, it can be stored."""
    read = reply.read(data, json.dumps(data, default=str))

    if isinstance(read, Found):
        texts = [one.text for one in (*read.insights, *read.dropped)]
        assert all("\0" not in text and text.encode() is not None for text in texts)


@given(st.text(st.characters(), max_size=400), st.sampled_from(["", "INSIGHT: ", "MEMORY_REWRITE: a -> "]))
def test_no_text_is_too_odd(text: str, marker: str) -> None:
    """W22"""
    reply.read(None, marker + text)
    grammar.read(marker + text)
