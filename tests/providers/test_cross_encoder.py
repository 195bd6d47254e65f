"""The cross-encoder: from a cache, never from the network, and clear where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.providers.embedding.base import ModelUnavailable
from memd.providers.embedding.cross_encoder import CrossEncoder
from tests.providers.cross_models import NAME, write_cross_encoder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """fastembed's own cache, empty."""
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "own"))
    return tmp_path / "own"


def test_a_cached_model_scores_each_text_in_its_place_without_the_network(
    tmp_path: Path, outbound: list[str]
) -> None:
    folder = write_cross_encoder(tmp_path)
    encoder = CrossEncoder(NAME.lower(), cache_dir=tmp_path)
    texts = [f"{'a word ' * (n % 20)}to end" for n in range(40)]

    found = encoder.scores("a question", texts)

    alone = [encoder.scores("a question", [text])[0] for text in texts]
    assert encoder.check() == str(folder)
    assert found == alone
    assert max(found) == found[19] > min(found)
    assert outbound == []


def test_fastembeds_own_cache_is_looked_in(own_cache: Path) -> None:
    folder = write_cross_encoder(own_cache)

    assert CrossEncoder(NAME, cache_dir=own_cache.parent / "ours").check() == str(folder)


def test_a_missing_model_is_told_with_what_to_do_and_never_fetched(
    tmp_path: Path, outbound: list[str]
) -> None:
    encoder = CrossEncoder(NAME, cache_dir=tmp_path)

    for call in (encoder.check, lambda: encoder.scores("a question", ["a text"])):
        with pytest.raises(ModelUnavailable, match=f"{NAME} is not in the model cache") as fault:
            call()
        assert f"TextCrossEncoder('{NAME}', '{tmp_path}')" in fault.value.hint
    assert outbound == []


def test_a_name_that_fastembed_does_not_know_is_told_with_those_that_are_near(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no such model; near: Xenova/ms-marco-MiniLM"):
        CrossEncoder("Xenova/ms-marco-MiniLM-L6", cache_dir=tmp_path).check()


def test_damaged_files_are_told(tmp_path: Path) -> None:
    (write_cross_encoder(tmp_path) / "onnx" / "model.onnx").write_bytes(b"none")

    with pytest.raises(ModelUnavailable, match="holds no usable Xenova/ms-marco-MiniLM-L-6-v2"):
        CrossEncoder(NAME, cache_dir=tmp_path).scores("a question", ["a text"])


def test_the_model_is_given_back_and_comes_back(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path)
    encoder = CrossEncoder(NAME, cache_dir=tmp_path)
    before = encoder.scores("a question", ["a text"])

    assert encoder.release()
    assert not encoder.release()
    assert encoder.scores("a question", ["a text"]) == before
