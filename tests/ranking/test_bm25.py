"""BM25 over a few texts."""

from __future__ import annotations

from memd.ranking import bm25

ASKED = {"port": 1.0, "staging": 1.0}


def test_the_text_with_more_of_the_words_comes_first() -> None:
    texts = [["port", "of", "ships"], ["staging", "port"], ["nothing"]]

    found = bm25.scores(ASKED, texts)

    assert found[1] > found[0] > found[2] == 0


def test_a_rare_word_tells_more_than_a_frequent_one() -> None:
    texts = [["port", "a"], ["staging", "a"], ["port", "b"], ["port", "c"]]

    found = bm25.scores(ASKED, texts)

    assert found[1] > found[0]


def test_of_equal_matches_the_shorter_text_says_it_more() -> None:
    texts = [["port", "a", "b", "c", "d"], ["port", "a"]]

    found = bm25.scores(ASKED, texts)

    assert found[1] > found[0]


def test_a_word_weighs_what_the_question_says() -> None:
    texts = [["port", "a"], ["staging", "a"]]

    found = bm25.scores({"port": 0.5, "staging": 1.0}, texts)

    assert found[1] > found[0] > 0


def test_nothing_to_compare_is_no_score() -> None:
    assert bm25.scores(ASKED, []) == []
