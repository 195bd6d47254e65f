"""The vectors of entries: stored beside them, and the nearest among those that fulfil a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memd.db import driver
from memd.db.driver import Connection, Value

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


def put(connection: Connection, space: int, entry: int, blobs: Sequence[bytes]) -> None:
    """Store the vectors of an entry, an int8 one a window, in the place of those it has."""
    connection.execute("DELETE FROM entry_vector WHERE entry_id = ? AND space_id = ?", (entry, space))
    connection.executemany(
        "INSERT INTO entry_vector (space_id, entry_id, part, embedding) VALUES (?, ?, ?, ?)",
        [(space, entry, part, blob) for part, blob in enumerate(blobs)],
    )


def nearest(
    connection: Connection, space: int, vector: Floats, k: int, where: str, values: Sequence[Value]
) -> list[tuple[int, float]]:
    """The ``k`` entries nearest to a vector that fulfil a condition over ``e``: (entry id, cosine), nearest first."""
    import numpy as np

    rows = connection.execute(
        f"""SELECT v.entry_id, v.embedding FROM entry_vector v JOIN entry e ON e.id = v.entry_id
            WHERE v.space_id = ? AND {where}""",
        (space, *values),
    ).fetchall()
    if not rows:
        return []
    floats = np.frombuffer(b"".join(driver.blob(blob) for _, blob in rows), np.int8)
    matrix = floats.reshape(len(rows), -1).astype(np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * max(float(np.linalg.norm(vector)), 1e-30)
    best: dict[int, float] = {}
    for (entry, _), cosine in zip(rows, (matrix @ vector / np.maximum(lengths, 1e-30)).tolist(), strict=True):
        best[driver.number(entry)] = max(cosine, best.get(driver.number(entry), -1.0))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:k]
