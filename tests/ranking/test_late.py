"""Late interaction: each token of a question by the nearest of a text, on signs alone."""

from __future__ import annotations

import numpy as np
import pytest

from memd.ranking import late
from memd.ranking.late import Tokens


def signs(vectors: np.ndarray) -> bytes:
    return np.packbits(vectors > 0, axis=1).tobytes()


def tokens(text: str, vectors: np.ndarray) -> Tokens:
    """A token for each word."""
    starts = [at for at in range(len(text)) if text[at] != " " and text[at - 1 : at] in ("", " ")]
    return Tokens(text, starts, [signs(row[None]) for row in vectors], vectors.shape[1])


@pytest.mark.parametrize("dim", [384, 192, 64, 20])
def test_it_is_the_weighted_mean_of_the_largest_cosines_of_the_signs(dim: int) -> None:
    draw = np.random.default_rng(dim)
    query, texts = draw.normal(size=(3, dim)), [draw.normal(size=(n, dim)) for n in (1, 7, 40, 2)]
    worth = {"old": 1.0, "staging": 3.0, "port": 2.0}

    asked = late.asked(tokens("old staging port", query), worth)
    assert asked is not None
    found = late.maxsim(asked, [signs(text) for text in texts])

    side = [np.where(rows > 0, 1, -1) / dim**0.5 for rows in (query, *texts)]
    expected = [(side[0] @ text.T).max(axis=1) @ [1 / 6, 3 / 6, 2 / 6] for text in side[1:]]
    assert found == pytest.approx(expected, abs=1e-5)


def test_the_same_tokens_meet_a_question_wholly_and_others_by_chance() -> None:
    draw = np.random.default_rng(3)
    query = draw.normal(size=(2, 192))
    asked = late.asked(tokens("staging port", query), {"staging": 1.0, "port": 1.0})
    assert asked is not None

    same, others = late.maxsim(asked, [signs(query[::-1]), signs(draw.normal(size=(50, 192)))]).tolist()

    assert same == pytest.approx(1.0)
    assert others < late.BY_CHANCE


def test_words_that_are_worth_nothing_are_not_compared() -> None:
    query = np.random.default_rng(4).normal(size=(3, 64))
    asked = late.asked(tokens("is it Staging?", query), {"staging": 2.0})

    assert asked is not None and len(asked.weights) == 1
    assert late.maxsim(asked, [signs(query[2:])]).tolist() == pytest.approx([1.0])
    assert late.asked(tokens("is it", query[:2]), {"staging": 2.0}) is None


def test_of_a_long_question_the_tokens_that_tell_most_are_compared() -> None:
    words = [f"word{n}" for n in range(100)]
    text = " ".join(words)
    query = np.random.default_rng(5).normal(size=(100, 64))
    asked = late.asked(tokens(text, query), {word: 1.0 + n for n, word in enumerate(words)})

    assert asked is not None and len(asked.weights) == late.MOST_TOKENS
    assert late.maxsim(asked, [signs(query[-late.MOST_TOKENS :])]).tolist() == pytest.approx([1.0])


def test_the_rarer_a_word_is_the_more_it_is_worth() -> None:
    worth = [late.rarity(holding, 100_000) for holding in (0, 1, 100, 100_000)]

    assert worth == sorted(worth, reverse=True) and worth[-1] > 0
