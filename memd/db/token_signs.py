"""The signs of tokens' vectors, at rest: one blob a window of a text, beside the window's vector and gone with it.

A space whose vectors are older than these gets them step by step, for what was stored last first: ``space.older`` says
how far that is.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from memd.db import driver
from memd.db.driver import Connection


def put(connection: Connection, space: int, rows: Sequence[tuple[int, Sequence[bytes]]]) -> None:
    """Store those of texts, (text, signs of each window), beside their vectors; a text that has none is passed over."""
    connection.executemany(
        """INSERT OR REPLACE INTO token_signs (vector_id, signs)
           SELECT id, ? FROM vector WHERE content_id = ? AND space_id = ? AND part = ?""",
        ((signs, text, space, part) for text, windows in rows for part, signs in enumerate(windows)),
    )


def of(connection: Connection, space: int, texts: Sequence[int]) -> list[tuple[int, bytes]]:
    """Those of these texts, as far as they have any: (text, signs of a window)."""
    rows = connection.execute(
        """SELECT v.content_id, s.signs FROM vector v CROSS JOIN token_signs s ON s.vector_id = v.id
           WHERE v.content_id IN (SELECT value FROM json_each(?)) AND +v.space_id = ?""",
        (orjson.dumps(list(texts)).decode(), space),
    )
    return [(driver.number(text), driver.blob(signs)) for text, signs in rows]


def older(connection: Connection, space: int, limit: int) -> list[tuple[int, int, str]]:
    """The texts whose vectors have none yet, stored last first: (vector, text, what it says)."""
    rows = connection.execute(
        """SELECT v.id, v.content_id, substr(c.text, 1, 100000) FROM vector v JOIN content c ON c.id = v.content_id
           WHERE v.space_id = ?1 AND v.id <= (SELECT older FROM space WHERE id = ?1) AND v.part = 0
           ORDER BY v.id DESC LIMIT ?2""",
        (space, limit),
    )
    return [(driver.number(vector), driver.number(text), str(said)) for vector, text, said in rows]


def is_behind(connection: Connection, space: int) -> bool:
    """Whether there are such vectors."""
    return bool(older(connection, space, 1))


def waiting(connection: Connection, space: int) -> int:
    """How many vectors there are whose tokens have none yet. The index holds all that is counted by."""
    return driver.number(
        connection.execute(
            "SELECT count(*) FROM vector WHERE space_id = ?1 AND id <= (SELECT older FROM space WHERE id = ?1)",
            (space,),
        ).get
    )


def pass_over(connection: Connection, space: int, vector: int) -> None:
    """Go on before this vector."""
    connection.execute("UPDATE space SET older = ? WHERE id = ?", (vector - 1, space))
