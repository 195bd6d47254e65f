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
        ("कैसे बनाएँ? सर्वर_नाम।", ["कैसे", "बनाएँ", "सर्वर", "नाम"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("cafe\u0301 naïve", ["café", "naïve"]),
        ("done ✔\ufe0f é", ["done", "é"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, found: list[str]) -> None:
    assert words.words(text) == found


@pytest.mark.parametrize(
    ("pointed", "bare"), [("كَتَبَ", "كتب"), ("مـــرحبا", "مرحبا"), ("תַּפּוּחַ", "תפוח"), ("cafe\u0301", "café")]
)
def test_a_word_is_the_same_with_its_points_and_without(pointed: str, bare: str) -> None:
    assert words.stems(pointed) == words.stems(bare) == [bare]
    assert words.held(f"({pointed})", [bare]) == {bare}


def test_of_a_script_without_spaces_parts_of_a_sentence_are_words() -> None:
    assert len(words.words("ฉันชอบใช้ภาษาไทยในการเขียนโปรแกรม")) > 1


def test_a_mark_is_part_of_the_word_it_ends() -> None:
    assert words.held("सर्वरों और कैसे", ["सर्वर", "कैसे"]) == {"कैसे"}


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
        "कैसे",
        "ा",
        "كَتَبَ",
        "ภาษา",
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
