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


def test_bytes_come_back_as_nearly_the_same_direction() -> None:
    vectors = unit(50)

    blobs = quantise.to_blobs(vectors)
    back = quantise.to_float(quantise.from_blobs(blobs, 384))

    assert {len(blob) for blob in blobs} == {384}
    assert np.einsum("ij,ij->i", vectors, back).min() > 0.9998


def test_the_largest_component_fills_the_byte() -> None:
    rows = quantise.to_int8(np.array([[0.5, -0.25, 0], [-1e-3, 1e-3, 0]], dtype=np.float32))

    assert rows.tolist() == [[127, -64, 0], [-127, 127, 0]]


def test_a_zero_vector_stays_zero() -> None:
    rows = quantise.to_int8(np.zeros((1, 4), dtype=np.float32))

    assert rows.tolist() == [[0, 0, 0, 0]]
    assert quantise.cosine(rows, np.ones(4, dtype=np.float32) / 2).tolist() == [0]
    assert not quantise.to_float(rows).any()


def test_the_cosine_is_that_of_the_floats() -> None:
    vectors, query = unit(10_000), unit(1)[0]

    found = quantise.cosine(quantise.to_int8(vectors), query)

    assert np.abs(found - vectors @ query).max() < 0.005


def test_no_rows_give_no_cosines() -> None:
    assert quantise.cosine(quantise.from_blobs([], 384), unit(1)[0]).shape == (0,)


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

    recall = [len(top(stored @ q, 10) & top(quantise.cosine(rows, q), 10)) / 10 for q in queries]

    assert np.mean(recall) >= 0.97


def test_signs_of_bytes_and_floats_agree_and_keep_the_near_ones(real: np.ndarray) -> None:
    stored, queries = real[40:], real[:40]
    bits = quantise.sign_bits(stored)
    assert bits.shape == (len(stored), 48)

    # A component near zero may be rounded to zero, no more.
    assert np.mean(np.unpackbits(bits ^ quantise.sign_bits(quantise.to_int8(stored)))) < 0.02

    distance = np.unpackbits(bits[:, None] ^ quantise.sign_bits(queries)[None], axis=2).sum(axis=2)
    recall = [len(top(stored @ q, 10) & top(-distance[:, n], 100)) / 10 for n, q in enumerate(queries)]
    assert np.mean(recall) >= 0.95
