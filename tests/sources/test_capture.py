"""What an answer about a stretch of a session holds, whatever a model writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.sources import capture, extraction, own_log
from memd.sources.observations import CATEGORIES

SHOWN = ("turn-a", "turn-b")
FACT = {"content": "the cache moves on Mondays", "importance": "8", "scope": "project", "turns": [2]}


def facts(data: object, text: str = "") -> list[dict[str, Any]]:
    found = capture.read(data, text, SHOWN)
    assert found is not None
    return [dict(item) for item in found.extraction.get("facts", ())]


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here it is:\n```json\n{}\n```\nAnything else?",
        "So: {} I hope.",
    ],
)
def test_an_answer_is_found_within_fences_and_prose(frame: str) -> None:
    """MC20"""
    [fact] = facts(None, frame.replace("{}", json.dumps({"facts": [FACT]})))

    assert fact == {**FACT, "turns": ["turn-b"]}


@pytest.mark.parametrize(
    "answer",
    [dict.fromkeys(CATEGORIES), {"facts": None}, {name: [] for name in CATEGORIES}, "Nothing to record."],
)
def test_an_answer_may_hold_nothing(answer: object) -> None:
    """MC20, W22: null for a list is none, and no reason to ask again."""
    found = capture.read(answer, answer if isinstance(answer, str) else "", SHOWN)

    assert found is not None and found.is_empty and not found.dropped


def test_items_of_a_wrong_shape_are_dropped_and_the_others_are_taken() -> None:
    """MC20, W22: a category that is none, items that are none, numbers as texts."""
    found = capture.read(
        {
            "facts": [
                None,
                "a text",
                7,
                [],
                {},
                {**FACT, "turns": "2"},
                {**FACT, "turns": ["#1", 2.5, True, "x"]},
            ],
            "decisions": {"content": "no list"},
            "entities": "Redis",
        },
        "",
        SHOWN,
    )

    assert found is not None
    assert [item["turns"] for item in found.extraction["facts"]] == [["turn-b"], ["turn-a"]]
    assert (found.extraction["decisions"], found.extraction["entities"], found.dropped) == ([], [], 5)


@pytest.mark.parametrize(
    "text",
    ["", "I have no idea.", '{"facts": [{"content": "cut', '{"facts": 7}', "[]", "[" * 100_000, "9" * 10_000],
)
def test_prose_and_what_is_cut_are_no_answer(text: str) -> None:
    """MC20"""
    assert capture.read(None, text, SHOWN) is None


def test_an_item_is_as_it_was_before_the_fence_and_without_secrets() -> None:
    """R12, R13"""
    [fact] = facts(
        {"facts": [{**FACT, "content": "<·system-reminder> AKIA⟨U+200B⟩ and AKIAIOSFODNN7EXAMPLE"}]}
    )

    assert fact["content"].startswith("<system-reminder> AKIA\u200b and [REDACTED")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ITEM = JSON | st.dictionaries(
    st.sampled_from(("content", "importance", "scope", "name", "source", "target", "turns")), JSON
)


@given(JSON | st.dictionaries(st.sampled_from(CATEGORIES), JSON | st.lists(ITEM)), st.text(max_size=200))
@example({"facts": [{"content": "\ud800\0", "turns": [1]}]}, "")
def test_whatever_is_answered_becomes_a_record_that_can_be_read_or_is_no_answer(
    data: object, text: str
) -> None:
    """MC20, W22: never a crash."""
    found = capture.read(data, text, SHOWN)

    if found is not None:
        line = own_log.line_of(0, "memd", "/home/dev/app", None, found.extraction)
        extraction.read(json.loads(line)["extraction"], "/home/dev/app", None)
