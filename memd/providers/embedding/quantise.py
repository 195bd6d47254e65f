"""Vectors as they are stored and scanned: one byte a dimension, or one bit.

Each vector is stretched so that its largest component is 127. The factor is not kept: cosine does not see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from memd.providers.embedding.base import Floats

Int8s: TypeAlias = npt.NDArray[np.int8]
Bits: TypeAlias = npt.NDArray[np.uint8]

_BLOCK = 4096  # rows turned to float32 at a time: fits the cache


def to_int8(vectors: Floats) -> Int8s:
    """The rows of (n, dim) in int8."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scale = 127 / np.maximum(largest, np.float32(1e-30))
    rows: Int8s = np.rint(vectors * scale).astype(np.int8)
    return rows


def to_blobs(vectors: Floats) -> list[bytes]:
    """The rows of (n, dim) as bytes for the database, ``dim`` bytes each."""
    return [row.tobytes() for row in to_int8(vectors)]


def from_blobs(blobs: Sequence[bytes], dim: int) -> Int8s:
    """The rows (n, dim) of stored bytes, read only."""
    return np.frombuffer(b"".join(blobs), dtype=np.int8).reshape(len(blobs), dim)


def to_float(rows: Int8s) -> Floats:
    """Vectors of length 1 again, off by the rounding."""
    vectors = rows.astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = vectors / np.maximum(lengths, 1)
    return unit


def cosine(rows: Int8s, query: Floats) -> Floats:
    """The cosine of each row to a query of length 1."""
    found = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        found[start : start + _BLOCK] = block @ query / np.maximum(lengths, 1)
    return found


def sign_bits(rows: Floats | Int8s) -> Bits:
    """One bit a dimension, set where it is above zero: (n, dim / 8)."""
    return np.packbits(rows > 0, axis=1)
