from __future__ import annotations

import numpy as np

from memd.providers.embedding.query_cache import QueryCache


def test_a_question_is_embedded_once_while_it_is_among_the_last_ones() -> None:
    cache, asked = QueryCache(size=2), []

    def embed(text: str) -> np.ndarray:
        asked.append(text)
        return np.array([len(text)], dtype=np.float32)

    for text in ["a", "bb", "a", "ccc", "a", "bb"]:
        assert cache.get(text, embed)[0] == len(text)

    assert asked == ["a", "bb", "ccc", "bb"]  # "bb" was the one longest unused when "ccc" came
