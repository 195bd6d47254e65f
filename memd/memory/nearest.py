"""The vectors of entries: stored beside them, and the nearest among those that fulfil a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memd.db import vectors
from memd.db.driver import Connection, Value
from memd.db.vector_tables import ENTRIES, Among

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


def put(connection: Connection, space: int, entry: int, blobs: Sequence[bytes]) -> None:
    """Store the vectors of an entry, an int8 one a window, in the place of those it has; it waits no longer."""
    vectors.put(connection, space, [(entry, blobs)], ENTRIES)


def nearest(
    connection: Connection, space: int, vector: Floats, k: int, where: str, values: Sequence[Value]
) -> list[tuple[int, float]]:
    """The ``k`` entries nearest to a vector that fulfil a condition over ``e``: (entry id, cosine), nearest first.

    Every one of them is compared, inside a write too, and none that fails the condition takes another's place.
    """
    found = vectors.exact(connection, space, vector, k, Among(where, values, few=True), ENTRIES)
    # sqlite-vec compares with a rounded vector, and thresholds ask for more than that.
    cosines = vectors.cosines(connection, space, vector, [entry for entry, _ in found], ENTRIES)
    return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))
