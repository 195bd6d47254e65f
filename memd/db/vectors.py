"""Vectors at rest and the search among them, behind one seam.

The table ``vector`` is the truth: one int8 vector a window of a text, whose scale the cosine does not see. Small and
filtered sets are scanned exactly, by sqlite-vec where it is loaded. Above ``RESIDENT_ROWS`` the signs of all vectors
are kept in memory, 48 bytes each at 384 dimensions: they pick candidates, which their int8 form then ranks. The
resident form is read from the table and made anew whenever it is not whole.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.db import driver
from memd.db.driver import Connection, Value

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

RESIDENT_ROWS = 20_000
CANDIDATES = 1_000
FILTERED_CANDIDATES = 4_000
READ_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class Among:
    """Look only among the contents a query selects; ``few`` says that an exact scan of them is cheap."""

    query: str
    values: Sequence[Value]
    few: bool


@dataclass(slots=True)
class _Resident:
    """The signs of every vector of one space, in the order of their ids."""

    space: int
    ids: npt.NDArray[np.int64]
    contents: npt.NDArray[np.int64]
    bits: npt.NDArray[np.uint64]


def add(connection: Connection, space: int, rows: Iterable[tuple[int, Sequence[bytes]]]) -> None:
    """Store the windows of texts: (content id, int8 vectors)."""
    connection.executemany(
        "INSERT INTO vector (space_id, content_id, part, embedding) VALUES (?, ?, ?, ?)",
        ((space, content, part, blob) for content, blobs in rows for part, blob in enumerate(blobs)),
    )


class Vectors:
    """Nearest texts; safe to share between reader threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._resident: _Resident | None = None

    def nearest(
        self, connection: Connection, space: int, query: Floats, k: int, among: Among | None = None
    ) -> list[tuple[int, float]]:
        """The ``k`` texts whose best window is nearest to the query: (content id, cosine), nearest first."""
        count = driver.number(
            connection.execute("SELECT count(*) FROM vector WHERE space_id = ?", (space,)).get
        )
        if count <= RESIDENT_ROWS or (among is not None and among.few):
            return self._exact(connection, space, query, k, among)
        resident = self._whole(connection, space, count)
        most = max(CANDIDATES if among is None else FILTERED_CANDIDATES, 20 * k)
        ids = _candidates(resident, query, min(most, len(resident.ids)))
        return _rescored(connection, ids, query, k, among)

    def cosines(
        self, connection: Connection, space: int, query: Floats, contents: Sequence[int]
    ) -> dict[int, float]:
        """The cosine of the best window of each text that has vectors."""
        if not contents:
            return {}
        rows = connection.execute(
            f"SELECT content_id, embedding FROM vector WHERE content_id IN ({_list(contents)}) AND space_id = ?",
            (space,),
        ).fetchall()
        return dict(_best(rows, query))

    def release(self) -> None:
        """Give the resident form back; the next search that needs it reads it anew."""
        with self._lock:
            self._resident = None

    def _exact(
        self, connection: Connection, space: int, query: Floats, k: int, among: Among | None
    ) -> list[tuple[int, float]]:
        where, values = (
            ("", ()) if among is None else (f" AND content_id IN ({among.query})", tuple(among.values))
        )
        if driver.has_vec(connection):
            # "+space_id": few spaces stand beside each other, and the scan must not go through their index.
            rows = connection.execute(
                f"""SELECT content_id, 1 - min(vec_distance_cosine(vec_int8(embedding), vec_int8(?))) AS cosine
                    FROM vector WHERE +space_id = ?{where} GROUP BY content_id ORDER BY cosine DESC LIMIT ?""",
                (_int8(query), space, *values, k),
            )
            return [(driver.number(content), float(str(cosine))) for content, cosine in rows]
        rows = connection.execute(
            f"SELECT content_id, embedding FROM vector WHERE +space_id = ?{where}", (space, *values)
        )
        found = _best(rows.fetchall(), query)
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _whole(self, connection: Connection, space: int, count: int) -> _Resident:
        """The resident form, brought level with the table."""
        with self._lock:
            known = self._resident
            if known is None or known.space != space:
                known = _read(connection, space, 0, None)
            elif len(known.ids) != count or int(known.ids[-1]) != _newest(connection, space):
                known = _read(connection, space, int(known.ids[-1]), known)
                if len(known.ids) != count:  # rows went: what stands here is no longer the table
                    known = _read(connection, space, 0, None)
            self._resident = known
            return known


def _newest(connection: Connection, space: int) -> int:
    return driver.number(connection.execute("SELECT max(id) FROM vector WHERE space_id = ?", (space,)).get)


def _read(connection: Connection, space: int, after: int, known: _Resident | None) -> _Resident:
    """The table's rows behind ``after``, put to those that are known."""
    import numpy as np

    ids, contents, bits = [], [], []
    if known is not None:
        ids, contents, bits = [known.ids], [known.contents], [known.bits]
    while rows := connection.execute(
        "SELECT id, content_id, embedding FROM vector WHERE space_id = ? AND id > ? ORDER BY id LIMIT ?",
        (space, after, READ_ROWS),
    ).fetchall():
        matrix = np.frombuffer(b"".join(bytes(row[2]) for row in rows), np.int8).reshape(len(rows), -1)
        ids.append(np.array([row[0] for row in rows], np.int64))
        contents.append(np.array([row[1] for row in rows], np.int64))
        bits.append(_words(matrix))
        after = driver.number(rows[-1][0])
    return _Resident(space, np.concatenate(ids), np.concatenate(contents), np.concatenate(bits))


def _words(rows: npt.NDArray[np.int8] | Floats) -> npt.NDArray[np.uint64]:
    """Signs, 64 to a word; dimensions that fill no word are padded."""
    import numpy as np

    packed = np.packbits(rows > 0, axis=1)
    missing = -packed.shape[1] % 8
    if missing:
        packed = np.pad(packed, ((0, 0), (0, missing)))
    return np.ascontiguousarray(packed).view(np.uint64)


def _candidates(resident: _Resident, query: Floats, most: int) -> list[int]:
    """Ids of the vectors whose signs differ least from the query's."""
    import numpy as np

    word = _words(query.reshape(1, -1))[0]
    distance = np.bitwise_count(resident.bits[:, 0] ^ word[0]).astype(np.uint16)
    for column in range(1, len(word)):
        distance += np.bitwise_count(resident.bits[:, column] ^ word[column])
    if most < len(distance):
        nearest = np.argpartition(distance, most - 1)[:most]
    else:
        nearest = np.arange(len(distance))
    return [int(one) for one in resident.ids[nearest]]


def _rescored(
    connection: Connection, ids: Sequence[int], query: Floats, k: int, among: Among | None
) -> list[tuple[int, float]]:
    where, values = (
        ("", ()) if among is None else (f" AND content_id IN ({among.query})", tuple(among.values))
    )
    rows = connection.execute(
        f"SELECT content_id, embedding FROM vector WHERE id IN ({_list(ids)}){where}", values
    ).fetchall()
    return sorted(_best(rows, query), key=lambda pair: (-pair[1], pair[0]))[:k]


def _best(rows: Sequence[Sequence[Value]], query: Floats) -> list[tuple[int, float]]:
    """The cosine of each text's best window."""
    import numpy as np

    if not rows:
        return []
    matrix = np.frombuffer(b"".join(bytes(row[1]) for row in rows), np.int8)  # type: ignore[arg-type]  # blobs
    floats = matrix.reshape(len(rows), -1).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", floats, floats))
    cosines = floats @ query / np.maximum(lengths, 1)
    best: dict[int, float] = {}
    for row, cosine in zip(rows, cosines.tolist(), strict=True):
        content = driver.number(row[0])
        if cosine > best.get(content, -2.0):
            best[content] = cosine
    return list(best.items())


def _int8(query: Floats) -> bytes:
    import numpy as np

    largest = max(float(np.abs(query).max()), 1e-30)
    return np.rint(query * (127 / largest)).astype(np.int8).tobytes()


def _list(numbers: Sequence[int]) -> str:
    return ",".join(str(int(number)) for number in numbers)
