"""Texts of a backlog that were being embedded when memd ended: the SQL that narrows them down to the one to blame."""

from __future__ import annotations

from collections.abc import Sequence

from memd.db import driver
from memd.db.driver import Connection
from memd.turns import spaces

ALONE = 3  # deaths over a text that nothing was beside
WHY = f"memd ended {ALONE} times while it was embedded"


def blame(connection: Connection, space: int, contents: Sequence[int]) -> list[str]:
    """Memd ended over these texts. Sets aside what it ended over too often; a turn that says it, for each."""
    connection.executemany(
        """UPDATE backlog SET deaths = deaths + 1, alone = alone + ?
           WHERE space_id = ? AND content_id = ? AND failed IS NULL""",
        [(len(contents) == 1, space, content) for content in contents],
    )
    guilty = connection.execute(
        "SELECT content_id FROM backlog WHERE space_id = ? AND deaths > 0 AND alone >= ? AND failed IS NULL",
        (space, ALONE),
    ).fetchall()
    return [spaces.set_aside(connection, space, driver.number(row[0]), WHY) for row in guilty]


def next_of(connection: Connection, space: int) -> list[tuple[int, str]]:
    """Half of those that memd ended over together, the least suspect first: (content id, text)."""
    where = "space_id = ? AND deaths > 0 AND failed IS NULL"
    deaths, count = connection.execute(
        f"SELECT deaths, count(*) FROM backlog WHERE {where} GROUP BY deaths ORDER BY deaths LIMIT 1",
        (space,),
    ).fetchone() or (0, 0)
    rows = connection.execute(
        f"""SELECT b.content_id, substr(c.text, 1, 100000) FROM backlog b JOIN content c ON c.id = b.content_id
            WHERE {where} AND deaths = ? ORDER BY alone, sort_ms DESC, content_id DESC LIMIT ?""",
        (space, deaths, (count + 1) // 2),
    )
    return [(int(content), str(text)) for content, text in rows]
