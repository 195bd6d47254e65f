"""The signs of every vector of a space, kept in memory: 48 bytes a vector of 384 dimensions.

Vectors whose signs differ least from the query's are candidates for its nearest. The form is read from a table of
vectors; what was added is put to it, and where rows went it is read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memd.db import driver
from memd.db.driver import Connection, Value

READ_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Signs:
    """Ids in ascending order, and 64 signs of each vector in each row of ``words``."""

    space: int
    ids: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint64]

    def covers(self, space: int, count: int, newest: int) -> bool:
        """True where this holds the whole table as it was counted; what a later reader saw too does no harm."""
        return self.space == space and int(np.searchsorted(self.ids, newest, side="right")) == count

    def nearest(self, query: npt.NDArray[np.float32], most: int) -> Sequence[int]:
        """Ids of the ``most`` vectors whose signs differ least from the query's."""
        distance = self._distance(_words(query.reshape(1, -1))[:, 0])
        if most >= len(distance):
            everything: list[int] = self.ids.tolist()
            return everything
        # Distances are small whole numbers: counting them finds the limit faster than any partition.
        limit = int(np.searchsorted(np.cumsum(np.bincount(distance)), most))
        closer = np.flatnonzero(distance < limit)
        level = np.flatnonzero(distance == limit)[::-1][: most - len(closer)]
        nearest: list[int] = self.ids[np.concatenate((closer, level))].tolist()
        return nearest

    def _distance(self, query: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
        distance = np.zeros(len(self.ids), np.uint16)
        for row, word in zip(self.words, query, strict=True):
            distance += np.bitwise_count(row ^ word)
        return distance


def read(connection: Connection, table: str, space: int, count: int, known: Signs | None) -> Signs:
    """The signs of the space; of those that are ``known``, as many as still hold are not read again."""
    if known is not None and known.space == space and len(known.ids) < count:
        level = _behind(connection, table, known)
        if len(level.ids) == count:
            return level
    return _behind(connection, table, Signs(space, np.empty(0, np.int64), np.empty((0, 0), np.uint64)))


def _behind(connection: Connection, table: str, known: Signs) -> Signs:
    """The table's rows behind those that are known, put to them."""
    after = int(known.ids[-1]) if len(known.ids) else 0
    ids, words = ([known.ids], [known.words]) if len(known.ids) else ([], [])
    while rows := connection.execute(
        f"SELECT id, embedding FROM {table} WHERE +space_id = ? AND id > ? ORDER BY id LIMIT ?",
        (known.space, after, READ_ROWS),
    ).fetchall():
        ids.append(np.array([row[0] for row in rows], np.int64))
        words.append(_words(_matrix(rows)))
        after = driver.number(rows[-1][0])
    if not ids:
        return known
    return Signs(known.space, np.concatenate(ids), np.concatenate(words, axis=1))


def _matrix(rows: Sequence[Sequence[Value]]) -> npt.NDArray[np.int8]:
    blobs = b"".join([row[1] for row in rows if isinstance(row[1], bytes)])
    return np.frombuffer(blobs, np.int8).reshape(len(rows), -1)


def _words(rows: npt.NDArray[np.int8] | npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """Signs, 64 to a word, a column a vector; what fills no word is padded."""
    packed = np.packbits(rows > 0, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(np.ascontiguousarray(packed).view(np.uint64).T)
