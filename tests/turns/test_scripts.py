"""Words of scripts with vowel signs or points: found by words alone, as whole words, and forgotten like any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db import keyword
from memd.db.database import Database
from memd.db.vectors import Vectors
from memd.injection.relevance import Asked
from memd.turns import forget, search
from memd.turns.forget import Lost, Wanted
from memd.turns.search import Question
from tests.rows import database, store, turn

SAID = [
    "मुझे चाय पसंद है और मैं हिन्दी में लिखता हूँ",
    "नदी के किनारे नगरी है",
    "डेटाबेस का पासवर्ड बदल गया, sqlite में",
    "அவர் தமிழ் மொழி பேசுகிறார்",
    "هذا كِتَابٌ جَدِيدٌ عن الخوادم",
    "الكتب قديمة",
    "שָׁלוֹם לכולם",
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        store(db, [turn(100 + n, f"we talked about build number {n} and the tests") for n in range(50)])
        store(db, [turn(n, f"{'talk of builds. ' * 40}{text}") for n, text in enumerate(SAID)])
        yield db


def ask(db: Database, text: str, mode: str = "keyword") -> set[str]:
    found = db.read_now(search.search, Question(text, mode=mode), Vectors(), None, None)
    return {hit.id for hit in found.hits}


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("हिन्दी", 0),
        ("चाय", 0),
        ("नदी", 1),
        ("पासवर्ड", 2),
        ("डेटाबेस पासवर्ड", 2),
        ("தமிழ்", 3),
        ("பேசுகிறார்", 3),
        ("كتاب", 4),
        ("كِتَابٌ", 4),
        ("جديد", 4),
        ("الخَوَادِم", 4),
        ("قديمة", 5),
        ("שלום", 6),
        ("שָׁלוֹם", 6),
    ],
)
def test_a_word_finds_the_turn_that_holds_it_within_much_else(db: Database, query: str, place: int) -> None:
    assert ask(db, query) == {f"s1-{place}"}


@pytest.mark.parametrize("query", ["पास", "नगर", "न", "दी", "ழ", "கிறார்", "كت", "हनद", "बदला"])
def test_a_piece_of_a_word_or_the_same_letters_with_other_vowels_find_nothing(
    db: Database, query: str
) -> None:
    assert ask(db, query) == set()


def test_beside_a_word_with_signs_the_others_still_find_their_turns(db: Database) -> None:
    assert ask(db, "sqlite पास") == {"s1-2"}


def test_what_is_hidden_behind_many_rows_with_its_pieces_is_found(db: Database) -> None:
    store(db, [turn(200 + n, f"नदी हिन्द {n}") for n in range(30)])

    assert ask(db, "हिन्दी") == {"s1-0"}


@pytest.mark.parametrize(
    ("match", "place"), [("हिन्दी", 0), ("तमिल", None), ("தமிழ்", 3), ("كِتَابٌ", 4), ("CAFE\u0301", 7)]
)
def test_forget_by_a_text_means_the_turns_that_hold_its_letters(
    db: Database, match: str, place: int | None
) -> None:
    store(db, [turn(7, "the café is closed")])

    rows = db.read_now(forget.find, Wanted(match=match))

    assert db.read_now(forget.ids, rows) == ([] if place is None else [f"s1-{place}"])


def test_a_title_that_tells_a_forgotten_word_is_known_by_the_whole_word(db: Database) -> None:
    store(db, [turn(1, "पा स वर ड ट", session="s9")])  # all pieces of the forgotten word, not the word

    lost = Lost("s9", 1, None, ["पासवर्ड यह है"], left=True)

    assert db.read_now(forget.tells, "पासवर्ड", lost)
    assert not db.read_now(forget.tells, "स", lost)


def test_to_a_hook_a_frequent_word_with_signs_tells_less_than_a_rare_one(db: Database) -> None:
    store(db, [turn(300 + n, f"यह {n} में है") for n in range(60)])
    plan = db.read_now(keyword.plan, "पासवर्ड में")

    weights = Asked.of("पासवर्ड में", plan).weights

    assert weights["में"] < weights["पासवर्ड"] / 2
