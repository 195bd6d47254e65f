"""Texts of a backlog that were being embedded when memd ended: the SQL that narrows them down to the one to blame."""

from __future__ import annotations

from collections.abc import Sequence

from memd.db import driver
from memd.db.driver import Connection
from memd.db.vector_tables import TEXTS, VectorTable
from memd.turns import spaces

ALONE = 3  # deaths over a text that nothing was beside
WHY = f"memd ended {ALONE} times while it was embedded"


def blame(connection: Connection, space: int, owners: Sequence[int], of: VectorTable = TEXTS) -> list[str]:
    """Memd ended over these texts. Sets aside what it ended over too often; what each is called."""
    connection.executemany(
        f"""UPDATE {of.backlog} SET deaths = deaths + 1, alone = alone + ?
            WHERE space_id = ? AND {of.owner} = ? AND failed IS NULL""",
        [(len(owners) == 1, space, owner) for owner in owners],
    )
    guilty = connection.execute(
        f"""SELECT {of.owner} FROM {of.backlog}
            WHERE space_id = ? AND deaths > 0 AND alone >= ? AND failed IS NULL""",
        (space, ALONE),
    ).fetchall()
    return [spaces.set_aside(connection, space, driver.number(row[0]), WHY, of) for row in guilty]


def next_of(connection: Connection, space: int, of: VectorTable = TEXTS) -> list[tuple[int, str]]:
    """Half of those that memd ended over together, the least suspect first: (owner, text)."""
    where = "space_id = ? AND deaths > 0 AND failed IS NULL"
    deaths, count = connection.execute(
        f"SELECT deaths, count(*) FROM {of.backlog} WHERE {where} GROUP BY deaths ORDER BY deaths LIMIT 1",
        (space,),
    ).fetchone() or (0, 0)
    rows = connection.execute(
        f"""SELECT b.{of.owner}, substr(c.{of.text}, 1, 100000) FROM {of.backlog} b
            JOIN {of.texts} c ON c.id = b.{of.owner}
            WHERE {where} AND deaths = ? ORDER BY alone, {of.newest} LIMIT ?""",
        (space, deaths, (count + 1) // 2),
    )
    return [(int(owner), str(text)) for owner, text in rows]
