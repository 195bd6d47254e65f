"""The words two texts are compared by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.text import words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("allergy", "allergic"),
        ("migrate", "migrations"),
        ("connections", "connected"),
        ("test", "testing"),
        ("Straße", "STRASSE"),
        ("policy", "policies"),
    ],
)
def test_the_forms_of_a_word_meet(one: str, other: str) -> None:
    assert words.stems(one) == words.stems(other)


@pytest.mark.parametrize(
    ("one", "other"), [("decide", "debug"), ("8080", "8081"), ("v12beta34", "v12beta35"), ("king", "red")]
)
def test_words_that_differ_stay_apart(one: str, other: str) -> None:
    assert words.stems(one) != words.stems(other)


def test_what_carries_no_meaning_is_left_out() -> None:
    assert words.stems("Don't you know what the port of it is?") == ["know", "port"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("部署方案", ["部署", "署方", "方案", "案"]),
        ("max_memory_mb=600", ["max", "memory", "mb", "600"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, found: list[str]) -> None:
    assert words.words(text) == found


PIECES = st.sampled_from(
    [
        "policies",
        "policy",
        "test",
        "tests",
        "testing",
        "8080",
        "don't",
        "max_memory",
        "Straße",
        "方案",
        "部署",
        " ",
        "-",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=4).map(" ".join))
def test_the_stems_that_a_text_holds_are_those_of_its_words(text: str, question: str) -> None:
    wanted = words.stems(question)

    assert words.held(text, wanted) == set(words.stems(text)) & set(wanted)


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=4).map(" ".join))
def test_the_stems_of_a_text_are_counted(text: str, question: str) -> None:
    wanted, stems = set(words.stems(question)), words.stems(text)

    assert words.counted(text, wanted) == ({one: stems.count(one) for one in wanted & set(stems)}, len(stems))


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_cut_as_any_other_is(text: str) -> None:
    assert [*words.words(text), "é"] == words.words(f"{text} é")
