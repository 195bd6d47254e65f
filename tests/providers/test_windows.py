from __future__ import annotations

import random
from itertools import pairwise

import pytest

from memd.providers.embedding import windows


@pytest.mark.parametrize("tokens", [0, 1, 253, 254, 255, 484, 485, 5000])
def test_windows_cover_every_token_and_overlap_a_little(tokens: int) -> None:
    cut = windows.spans(tokens, 254)

    assert cut[0][0] == 0
    assert cut[-1][1] == tokens
    assert all(end - start <= 254 for start, end in cut)
    assert all(before[1] - after[0] == 24 for before, after in pairwise(cut))


def test_a_text_that_fits_has_one_window() -> None:
    assert windows.spans(254, 254) == [(0, 254)]


def test_tiny_windows_still_advance() -> None:
    assert windows.spans(10, 4) == [(0, 4), (3, 7), (6, 10)]


def test_the_number_of_windows_is_bounded() -> None:
    assert len(windows.spans(1_000_000, 254)) == 128


def test_batches_hold_every_index_once_and_no_more_than_the_tokens() -> None:
    chance = random.Random(7)
    lengths = [chance.randint(2, 600) for _ in range(500)]

    found = windows.batches(lengths)

    assert sorted(index for batch in found for index in batch) == list(range(500))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= 256


def test_batches_pad_little() -> None:
    lengths = [16, 120, 16, 120, 16, 16]

    assert windows.batches(lengths) == [[0, 2, 4, 5], [1, 3]]


def test_what_is_embedded_is_bounded_and_encodable() -> None:
    text = windows.embeddable("\ud83d" + "é" * 200_000)

    assert len(text) == 100_000
    assert text.encode("utf-8").startswith(b"?")
