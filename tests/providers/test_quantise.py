from __future__ import annotations

import ast
import inspect
import textwrap

import numpy as np
import pytest

from memd.providers.embedding import quantise
from memd.providers.embedding.bundled import BundledEmbedder


def unit(rows: int, dim: int = 384) -> np.ndarray:
    vectors = np.random.default_rng(3).normal(size=(rows, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def top(scores: np.ndarray, k: int) -> set[int]:
    return set(np.argsort(-scores)[:k].tolist())


def cosine(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    floats = rows.astype(np.float32)
    return floats @ query / np.linalg.norm(floats, axis=1)


def test_bytes_come_back_as_nearly_the_same_direction() -> None:
    vectors = unit(50)

    blobs = quantise.to_blobs(vectors)
    back = np.array([np.frombuffer(blob, np.int8) for blob in blobs])

    assert back.shape == (50, 384)
    assert min(cosine(back[n : n + 1], vectors[n])[0] for n in range(50)) > 0.9998


def test_the_largest_component_fills_the_byte() -> None:
    rows = quantise.to_int8(np.array([[0.5, -0.25, 0], [-1e-3, 1e-3, 0]], dtype=np.float32))

    assert rows.tolist() == [[127, -64, 0], [-127, 127, 0]]


def test_a_zero_vector_stays_zero() -> None:
    rows = quantise.to_int8(np.zeros((1, 4), dtype=np.float32))

    assert rows.tolist() == [[0, 0, 0, 0]]


def test_the_cosine_is_that_of_the_floats() -> None:
    vectors, query = unit(10_000), unit(1)[0]

    found = cosine(quantise.to_int8(vectors), query)

    assert np.abs(found - vectors @ query).max() < 0.005


@pytest.fixture(scope="module")
def real() -> np.ndarray:
    """Vectors of real sentences."""
    lines = {
        " ".join(line.split())
        for module in (ast, inspect, textwrap)
        for line in inspect.getsource(module).split("\n")
    }
    return np.concatenate(
        BundledEmbedder().embed_documents(sorted(line for line in lines if len(line) > 40)[:600])
    )


def test_a_search_over_bytes_finds_what_one_over_floats_finds(real: np.ndarray) -> None:
    stored, queries = real[40:], real[:40]
    rows = quantise.to_int8(stored)

    recall = [len(top(stored @ q, 10) & top(cosine(rows, q), 10)) / 10 for q in queries]

    assert np.mean(recall) >= 0.97
