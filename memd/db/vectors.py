"""Vectors at rest and the search among them, behind one seam.

The tables are the truth: one int8 vector a window of a text, whose scale the cosine does not see. Small and filtered
sets are scanned exactly, by sqlite-vec where it is loaded. Above ``RESIDENT_ROWS`` the signs of all vectors
(memd/db/signs.py) pick candidates, which their int8 form then ranks.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import orjson

from memd.db import driver, turn_changes
from memd.db.driver import Connection, Value
from memd.db.vector_tables import TEXTS, Among, VectorTable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memd.db.signs import Signs
    from memd.ranking.late import Tokens

    Floats = npt.NDArray[np.float32]

RESIDENT_ROWS = 2_000  # from there on an exact scan costs a search more than all the rest of it
CANDIDATES = 700
FILTERED_CANDIDATES = 2_500
FILLING_CANDIDATES = 1_000  # to begin with, where more are fetched until the limit is filled
MOST_CANDIDATES = 10_000
ENOUGH = 200  # candidates behind a filter: fewer, and more are looked at
_LISTED = "(SELECT value FROM json_each(?))"
OVERSAMPLED = 35  # of the nearest, so many are looked for with 20 candidates each; the tail with two


def put(
    connection: Connection, space: int, rows: Sequence[tuple[int, Sequence[bytes]]], to: VectorTable = TEXTS
) -> None:
    """Store the windows of texts, (owner, int8 vectors), in the place of those they have; none waits any longer."""
    connection.executemany(
        f"DELETE FROM {to.name} WHERE {to.owner} = ? AND space_id = ?", [(owner, space) for owner, _ in rows]
    )
    connection.executemany(
        f"INSERT INTO {to.name} (space_id, {to.owner}, part, embedding) VALUES (?, ?, ?, ?)",
        ((space, owner, part, blob) for owner, blobs in rows for part, blob in enumerate(blobs)),
    )
    connection.executemany(
        f"DELETE FROM {to.backlog} WHERE {to.owner} = ? AND space_id = ?",
        [(owner, space) for owner, _ in rows],
    )


class Vectors:
    """Nearest texts; safe to share between reader threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._signs: dict[VectorTable, Signs] = {}
        self._extents: WeakKeyDictionary[Connection, dict[VectorTable, _Extent]] = WeakKeyDictionary()

    def nearest(
        self,
        connection: Connection,
        space: int,
        query: Floats,
        k: int,
        among: Among | None = None,
        of: VectorTable = TEXTS,
    ) -> list[tuple[int, float]]:
        """The ``k`` whose best window is nearest to the query: (owner, cosine), nearest first."""
        extent = self._extent(connection, space, of)
        if not extent.count or k < 1:
            return []
        if extent.count <= RESIDENT_ROWS or (among is not None and among.few):
            return exact(connection, space, query, k, among, of)
        signs = self._whole(connection, extent, of)
        most = max(CANDIDATES, 2 * k, 20 * min(k, OVERSAMPLED))
        if among is None:
            return _first(_rescored(connection, signs.nearest(query, most), query, None, of), k)
        enough, steps = min(2 * k, ENOUGH), [max(most, FILTERED_CANDIDATES), MOST_CANDIDATES]
        if enough < ENOUGH and not among.fill:
            steps = [most, *steps]
        elif among.fill:
            enough, steps = among.fill, [max(most, FILLING_CANDIDATES if among.values else 0), *steps]
        for most in steps:
            found = _rescored(connection, signs.nearest(query, most), query, among, of)
            if len(found) >= enough:
                return _first(found, k)
        return exact(connection, space, query, k, among, of) if among.fill else _first(found, k)

    def release(self) -> None:
        """Give the resident form back; the next search that needs it reads it anew."""
        with self._lock:
            self._signs.clear()

    def _extent(self, connection: Connection, space: int, of: VectorTable) -> _Extent:
        """How many vectors a space has and which is its newest; counted again only where that may have changed."""
        state = (space, *_written(connection, of))
        with self._lock:
            known = self._extents.setdefault(connection, {}).get(of)
        if known is None or known.state != state:
            count, newest = connection.execute(
                f"SELECT count(*), coalesce(max(id), 0) FROM {of.name} WHERE space_id = ?", (space,)
            ).get
            known = _Extent(state, count, newest)
            with self._lock:
                self._extents[connection][of] = known
        return known

    def _whole(self, connection: Connection, extent: _Extent, of: VectorTable) -> Signs:
        """The resident form, brought level with the table."""
        from memd.db import signs

        with self._lock:
            known = self._signs.get(of)
            if known is None or not known.covers(extent.state[0], extent.count, extent.newest):
                known = signs.read(connection, of.name, extent.state[0], extent.count, known)
                self._signs[of] = known
            return known


def _written(connection: Connection, of: VectorTable) -> tuple[int, int]:
    """What is another once vectors were added or went. Those of texts are many, and go with turns and texts alone."""
    if of is not TEXTS:
        return driver.number(connection.execute("PRAGMA data_version").get), connection.total_changes()
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (of.name,)).get
    return driver.number(last or 0), turn_changes.count(connection)


@dataclass(frozen=True, slots=True)
class Lane:
    """What a search by meaning needs; without a space or the question's vector it is off."""

    vectors: Vectors
    space: int | None = None
    vector: Floats | None = None
    tokens: Tokens | None = None  # of the question, where the embedder gives them


@dataclass(frozen=True, slots=True)
class _Extent:
    """What a connection saw of a space, and the state (space, version, changes) in which it saw it."""

    state: tuple[int, int, int]
    count: int
    newest: int


def exact(
    connection: Connection, space: int, query: Floats, k: int, among: Among | None, of: VectorTable
) -> list[tuple[int, float]]:
    """``nearest``, by comparing every vector."""
    where, values = "", tuple[Value, ...]()
    if among is not None:
        where, values = f" AND {of.owner} IN (SELECT {of.key} {of.rows(among)})", tuple(among.values)
    if not driver.has_vec(connection):
        rows = connection.execute(
            f"SELECT {of.owner}, embedding FROM {of.name} WHERE +space_id = ?{where}", (space, *values)
        )
        return _first(_best(rows.fetchall(), query), k)
    # "+space_id": few spaces stand beside each other, and the scan must not go through their index.
    scored = connection.execute(
        f"""SELECT {of.owner}, 1 - min(vec_distance_cosine(vec_int8(embedding), vec_int8(?))) AS cosine
            FROM {of.name} WHERE +space_id = ?{where} GROUP BY {of.owner} ORDER BY cosine DESC, {of.owner} LIMIT ?""",
        (_int8(query), space, *values, k),
    )
    return [(driver.number(owner), float(str(cosine))) for owner, cosine in scored]


def cosines(
    connection: Connection, space: int, query: Floats, owners: Sequence[int], of: VectorTable = TEXTS
) -> Mapping[int, float]:
    """The cosine of the best window of each that has vectors."""
    if not owners:
        return {}
    rows = connection.execute(
        f"SELECT {of.owner}, embedding FROM {of.name} WHERE {of.owner} IN {_LISTED} AND +space_id = ?",
        (_json(owners), space),
    )
    return _best(rows.fetchall(), query)


def _rescored(
    connection: Connection, ids: Sequence[int], query: Floats, among: Among | None, of: VectorTable
) -> dict[int, float]:
    where, values = "", tuple[Value, ...]()
    if among is not None:
        # Asked of each candidate: those that pass may be most of the store.
        where = f" AND EXISTS (SELECT 1 {of.rows(among, 'CROSS JOIN')} AND {of.key} = {of.name}.{of.owner})"
        values = tuple(among.values)
    rows = connection.execute(
        f"SELECT {of.owner}, embedding FROM {of.name} WHERE id IN {_LISTED}{where}", (_json(ids), *values)
    )
    return _best(rows.fetchall(), query)


def _best(rows: Sequence[Sequence[Value]], query: Floats) -> dict[int, float]:
    """The cosine of each text's best window."""
    import numpy as np

    if not rows:
        return {}
    owners, blobs = zip(*rows, strict=True)
    floats = np.frombuffer(b"".join(blobs), np.int8).reshape(len(rows), -1).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", floats, floats))
    unit = query / max(float(np.linalg.norm(query)), 1e-30)
    cosines = floats @ unit / np.maximum(lengths, 1)
    # The nearest window of a text comes last, and stays.
    order = np.argsort(cosines, kind="stable")
    return dict(zip(np.array(owners)[order].tolist(), cosines[order].tolist(), strict=True))


def _first(cosines: Mapping[int, float], k: int) -> list[tuple[int, float]]:
    return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


def _int8(query: Floats) -> bytes:
    import numpy as np

    largest = max(float(np.abs(query).max()), 1e-30)
    stretched: npt.NDArray[np.int8] = np.rint(query * np.float32(127 / largest)).astype(np.int8)
    return stretched.tobytes()


def _json(numbers: Sequence[int]) -> str:
    return orjson.dumps(numbers).decode()
