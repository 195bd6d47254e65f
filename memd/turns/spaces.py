"""Vector spaces and their backlogs: which texts have vectors, which wait for them. The SQL of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import vectors
from memd.db.driver import Connection
from memd.turns import table


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is stored has vectors in a space."""

    contents: int
    waiting: int
    set_aside: int

    @property
    def share(self) -> float:
        """From 0 to 1; an empty store is covered."""
        return 1.0 if not self.contents else max(0.0, 1.0 - (self.waiting + self.set_aside) / self.contents)

    def figures(self) -> dict[str, object]:
        """What a progress is told by."""
        return {
            "texts": self.contents,
            "waiting": self.waiting,
            "set_aside": self.set_aside,
            "percent": round(100 * self.share, 1),
        }


def ensure(connection: Connection, key: str, dim: int) -> int:
    """The row of the space, made where it is new, with the first texts that it does not cover in its backlog."""
    connection.execute("INSERT OR IGNORE INTO space (key, dim) VALUES (?, ?)", (key, dim))
    space: int = connection.execute("SELECT id FROM space WHERE key = ?", (key,)).get
    table.queue_vectors(connection)
    return space


def unqueued(connection: Connection, space: int) -> int:
    """About how many texts are in no backlog of the space yet: ``table.queue_vectors`` brings them in step by step."""
    found = connection.execute(
        "SELECT max(0, coalesce((SELECT max(id) FROM content), 0) - covered) FROM space WHERE id = ?",
        (space,),
    ).get
    return int(found or 0)


def coverage(connection: Connection, space: int) -> Coverage:
    """Figures for ``status`` and for the answer of a search."""
    contents = int(connection.execute("SELECT count(*) FROM content").get)
    row = connection.execute(
        "SELECT count(*) FILTER (WHERE failed IS NULL), count(*) FILTER (WHERE failed IS NOT NULL)"
        " FROM backlog WHERE space_id = ?",
        (space,),
    ).get
    return Coverage(contents, int(row[0]) + unqueued(connection, space), int(row[1]))


def share(connection: Connection, space: int) -> float:
    """How much of what is stored has vectors, from 0 to 1; texts are counted only where some have none."""
    if connection.execute("SELECT 1 FROM backlog WHERE space_id = ? LIMIT 1", (space,)).get is None:
        return 1.0
    return coverage(connection, space).share


def waiting(connection: Connection, space: int, limit: int) -> list[tuple[int, str]]:
    """Texts without vectors, newest first: (content id, text). Those that memd ended over stand in suspects.py."""
    rows = connection.execute(
        """SELECT b.content_id, substr(c.text, 1, 100000) FROM backlog b JOIN content c ON c.id = b.content_id
           WHERE b.space_id = ? AND b.failed IS NULL AND b.deaths = 0
           ORDER BY b.sort_ms DESC, b.content_id DESC LIMIT ?""",
        (space, limit),
    )
    return [(int(content), str(text)) for content, text in rows]


def put(connection: Connection, space: int, rows: Sequence[tuple[int, list[bytes]]]) -> None:
    """Store the vectors of texts and strike them off the backlog; what went meanwhile is passed over."""
    if connection.execute("SELECT 1 FROM space WHERE id = ? AND retired_ms IS NULL", (space,)).get is None:
        return
    there = [
        row
        for row in rows
        if connection.execute("SELECT 1 FROM content WHERE id = ?", (row[0],)).get is not None
    ]
    vectors.put(connection, space, there)
    connection.executemany(
        "DELETE FROM backlog WHERE content_id = ? AND space_id = ?", [(content, space) for content, _ in rows]
    )


def is_behind(connection: Connection, space: int) -> bool:
    """Whether a text waits for its vectors."""
    found = connection.execute(
        "SELECT 1 FROM backlog WHERE space_id = ? AND failed IS NULL LIMIT 1", (space,)
    ).get
    return found is not None or unqueued(connection, space) > 0


def set_aside(connection: Connection, space: int, content: int, why: str) -> str:
    """Leave one text without vectors: it broke the model, and the others go on. A turn that says it."""
    connection.execute(
        "UPDATE backlog SET failed = ? WHERE space_id = ? AND content_id = ?", (why, space, content)
    )
    return str(connection.execute("SELECT id FROM turn WHERE content_id = ? LIMIT 1", (content,)).get)


def aside(connection: Connection, space: int) -> list[dict[str, object]]:
    """What is set aside, the first hundred: a turn that says it, and why it has no vectors."""
    rows = connection.execute(
        """SELECT (SELECT t.id FROM turn t WHERE t.content_id = b.content_id LIMIT 1), failed FROM backlog b
           WHERE space_id = ? AND failed IS NOT NULL LIMIT 100""",
        (space,),
    )
    return [{"turn": turn, "why": why} for turn, why in rows]


def requeue_missing(connection: Connection, space: int) -> int:
    """Put every text without a vector back into the backlog, also those that were set aside; how many wait then."""
    connection.execute("DELETE FROM backlog WHERE space_id = ?", (space,))
    connection.execute(
        """INSERT INTO backlog (space_id, sort_ms, content_id)
             SELECT ?1, max(coalesce(t.sort_ms, 0)), t.content_id FROM turn t
             WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.content_id = t.content_id AND v.space_id = ?1)
             GROUP BY t.content_id""",
        (space,),
    )
    connection.execute(
        "UPDATE space SET covered = (SELECT coalesce(max(id), 0) FROM content) WHERE id = ?", (space,)
    )
    return int(connection.execute("SELECT count(*) FROM backlog WHERE space_id = ?", (space,)).get)
