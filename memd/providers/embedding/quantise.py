"""Vectors as they are stored: one byte a dimension.

Each vector is stretched so that its largest component is 127. The factor is not kept: cosine does not see it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from memd.providers.embedding.base import Floats

Int8s: TypeAlias = npt.NDArray[np.int8]


def to_int8(vectors: Floats) -> Int8s:
    """The rows of (n, dim) in int8."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scale = 127 / np.maximum(largest, np.float32(1e-30))
    rows: Int8s = np.rint(vectors * scale).astype(np.int8)
    return rows


def to_blobs(vectors: Floats) -> list[bytes]:
    """The rows of (n, dim) as bytes for the database, ``dim`` bytes each."""
    return [row.tobytes() for row in to_int8(vectors)]
