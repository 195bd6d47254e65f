"""What every embedder keeps."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.providers.embedding.open import open_embedder
from tests.providers.models import CUSTOM

TEXTS = [
    "The writer thread owns every checkpoint.",
    "",
    "ok",
    "def rebuild(index: Index) -> None:\n    for row in index.rows:\n        row.refresh()\n" * 3,
    "搜索索引在崩溃后重建 🙂 naïve façade",
    "lone \ud800 surrogate and a NUL \0 inside",
    "Releases are cut on Thursdays, from the stable branch. " * 12,
]
LONG = " ".join(f"word{n} is followed by another sentence about topic {n % 17}." for n in range(400))

PROVIDERS = ["bundled", "hash", f"fastembed:{CUSTOM}"]


@pytest.fixture(params=PROVIDERS)
def embedder(request: pytest.FixtureRequest, model_folder: Path) -> Iterator[Embedder]:
    opened = open_embedder(request.param, model_dir=model_folder)
    assert opened is not None
    yield opened
    opened.close()


def cosines(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", some, others)


def test_each_text_has_windows_of_length_one(embedder: Embedder) -> None:
    found = embedder.embed_documents(TEXTS)

    assert [vectors.shape for vectors in found] == [(1, embedder.space.dim)] * len(TEXTS)
    assert all(vectors.dtype == np.float32 for vectors in found)
    assert np.allclose([np.linalg.norm(vectors[0]) for vectors in found], 1, atol=1e-5)


def test_no_texts_need_no_model(embedder: Embedder) -> None:
    before = embedder.loaded

    assert embedder.embed_documents([]) == []
    assert embedder.loaded == before


def test_the_batch_a_text_is_in_does_not_matter(embedder: Embedder) -> None:
    together = np.concatenate(embedder.embed_documents(TEXTS))
    alone = np.concatenate([embedder.embed_documents([text])[0] for text in TEXTS])
    turned = np.concatenate(embedder.embed_documents(TEXTS[::-1])[::-1])

    assert cosines(together, alone).min() >= 0.9999
    assert cosines(together, turned).min() >= 0.9999


def test_a_long_text_has_several_windows_among_short_ones(embedder: Embedder) -> None:
    short, long, after = embedder.embed_documents(["short", LONG, "after"])

    assert (len(short), len(after)) == (1, 1)
    assert len(long) > 5
    assert np.allclose(np.linalg.norm(long, axis=1), 1, atol=1e-5)


def test_the_end_of_a_long_text_is_found_in_its_last_windows(embedder: Embedder) -> None:
    end = "The metrics proxy listens on port 8443 in Frankfurt."
    [vectors] = embedder.embed_documents([LONG + " " + f"{end} " * 8])

    scores = vectors @ embedder.embed_query(end)

    assert scores.argmax() >= len(vectors) - 2


def test_a_text_over_the_limit_is_embedded_as_far_as_the_text_index_reads(embedder: Embedder) -> None:
    text = "naïve 接続 " * 20_000

    [vectors] = embedder.embed_documents([text])

    assert 2 < len(vectors) <= 128


def test_a_question_is_nearest_to_the_text_with_its_words(embedder: Embedder) -> None:
    texts = [
        "how to bake sourdough bread",
        "the search index is rebuilt after a crash",
        "tax forms are due in May",
    ]

    scores = np.concatenate(embedder.embed_documents(texts)) @ embedder.embed_query(
        "rebuilding the search index"
    )

    assert scores.argmax() == 1


def test_a_question_has_the_vector_of_the_same_document(embedder: Embedder) -> None:
    [document] = embedder.embed_documents(["cache index"])

    assert embedder.embed_query("cache index") @ document[0] >= 0.9999


def test_a_query_vector_cannot_be_changed_by_its_reader(embedder: Embedder) -> None:
    with pytest.raises(ValueError, match="read-only"):
        embedder.embed_query("cache")[0] = 1


def test_a_known_question_needs_no_model(embedder: Embedder) -> None:
    first = embedder.embed_query("who owns the cache?")
    embedder.release()
    after_release = embedder.loaded

    assert np.array_equal(embedder.embed_query("who owns the cache?"), first)
    assert embedder.loaded == after_release


def test_a_released_model_comes_back_with_the_same_vectors(embedder: Embedder) -> None:
    before = embedder.embed_documents(TEXTS[:2])
    embedder.release()

    again = embedder.embed_documents(TEXTS[:2])

    assert all(np.array_equal(x, y) for x, y in zip(before, again, strict=True))


def test_queries_and_documents_run_side_by_side(embedder: Embedder) -> None:
    alone = embedder.embed_query("a question while documents are embedded")
    results: list[float] = []

    def ask() -> None:
        for n in range(10):
            embedder.embed_query(f"another question {n}")
        results.append(
            float(embedder.embed_documents(["a question while documents are embedded"])[0][0] @ alone)
        )

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    embedder.embed_documents(TEXTS * 2)
    for thread in threads:
        thread.join()

    assert len(results) == 3
    assert min(results) >= 0.9999


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "hash"])
class TestModels:
    """Those that hold a model."""

    @pytest.fixture
    def model(self, name: str, model_folder: Path) -> Iterator[Embedder]:
        opened = open_embedder(name, model_dir=model_folder)
        assert opened is not None
        yield opened
        opened.close()

    def test_the_model_loads_at_the_first_call_and_goes_when_told(self, model: Embedder) -> None:
        states = [model.loaded]
        model.embed_query("a question")
        states.append(model.loaded)

        assert model.release()
        assert not model.release()
        assert [*states, model.loaded] == [False, True, False]

    def test_an_idle_model_is_released_after_the_time_without_a_call(self, model: Embedder) -> None:
        model.embed_query("one")
        assert not model.release_if_idle(100, 60)
        assert not model.release_if_idle(159, 60)
        model.embed_query("two")  # begins the time anew
        assert not model.release_if_idle(161, 60)
        assert not model.release_if_idle(220, 60)

        assert model.release_if_idle(221, 60)
        assert not model.loaded
        assert not model.release_if_idle(400, 60)

    def test_a_closed_embedder_says_so(self, model: Embedder) -> None:
        model.embed_query("one")

        model.close()

        assert not model.loaded
        with pytest.raises(ModelUnavailable, match="closed"):
            model.embed_documents(["two"])

    def test_closing_ends_a_running_call(self, model: Embedder) -> None:
        model.embed_query("load it")
        ended: list[ModelUnavailable] = []
        started = threading.Event()

        def work() -> None:
            started.set()
            try:
                while True:
                    model.embed_documents([LONG] * 4)
            except ModelUnavailable as error:
                ended.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        model.close()
        thread.join(10)

        assert len(ended) == 1
        assert not model.loaded
