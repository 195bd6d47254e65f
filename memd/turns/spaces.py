"""Vector spaces and their backlogs: which texts have vectors, which wait for them. The SQL of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import vectors
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS, TABLES, TEXTS, VectorTable
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


def coverage(connection: Connection, space: int, of: Sequence[VectorTable] = TABLES) -> Coverage:
    """Figures for ``status`` and for the answer of a search: of turns, entries and sections, or of some of them."""
    texts, waiting, aside = 0, unqueued(connection, space) if TEXTS in of else 0, 0
    for one in of:
        texts += int(connection.execute(f"SELECT count(*) FROM {one.texts}").get)
        behind, failed = connection.execute(
            "SELECT count(*) FILTER (WHERE failed IS NULL), count(*) FILTER (WHERE failed IS NOT NULL)"
            f" FROM {one.backlog} WHERE space_id = ?",
            (space,),
        ).get
        waiting, aside = waiting + int(behind), aside + int(failed)
    return Coverage(texts, waiting, aside)


def share(connection: Connection, space: int, of: Sequence[VectorTable] = TABLES) -> float:
    """How much of what is stored has vectors, from 0 to 1; texts are counted only where some have none."""
    behind = " UNION ALL ".join(f"SELECT 1 FROM {one.backlog} WHERE space_id = ?1" for one in of)
    if connection.execute(f"SELECT 1 FROM ({behind}) LIMIT 1", (space,)).get is None:
        return 1.0
    return coverage(connection, space, of).share


def waiting(connection: Connection, space: int, limit: int, of: VectorTable = TEXTS) -> list[tuple[int, str]]:
    """Texts without vectors, newest first: (owner, text). Those that memd ended over stand in suspects.py."""
    rows = connection.execute(
        f"""SELECT b.{of.owner}, substr(c.{of.text}, 1, 100000) FROM {of.backlog} b
            JOIN {of.texts} c ON c.id = b.{of.owner} WHERE b.space_id = ? AND b.failed IS NULL AND b.deaths = 0
            ORDER BY {of.newest} LIMIT ?""",
        (space, limit),
    )
    return [(int(owner), str(text)) for owner, text in rows]


def put(
    connection: Connection, space: int, rows: Sequence[tuple[int, list[bytes]]], of: VectorTable = TEXTS
) -> None:
    """Store the vectors of texts and strike them off the backlog; what went meanwhile is passed over."""
    if connection.execute("SELECT 1 FROM space WHERE id = ? AND retired_ms IS NULL", (space,)).get is None:
        return
    there = [
        row
        for row in rows
        if connection.execute(f"SELECT 1 FROM {of.texts} WHERE id = ?", (row[0],)).get is not None
    ]
    vectors.put(connection, space, there, of)


def is_behind(connection: Connection, space: int, of: Sequence[VectorTable] = TABLES) -> bool:
    """Whether a text waits for its vectors."""
    behind = " UNION ALL ".join(
        f"SELECT 1 FROM {one.backlog} WHERE space_id = ?1 AND failed IS NULL" for one in of
    )
    found = connection.execute(f"SELECT 1 FROM ({behind}) LIMIT 1", (space,)).get
    return found is not None or (TEXTS in of and unqueued(connection, space) > 0)


def set_aside(connection: Connection, space: int, owner: int, why: str, of: VectorTable = TEXTS) -> str:
    """Leave one text without vectors: it broke the model, and the others go on. What it is called."""
    connection.execute(
        f"UPDATE {of.backlog} SET failed = ? WHERE space_id = ? AND {of.owner} = ?", (why, space, owner)
    )
    said = f"SELECT {of.said} FROM {of.backlog} b WHERE b.space_id = ? AND b.{of.owner} = ?"
    return str(connection.execute(said, (space, owner)).get)


def aside(connection: Connection, space: int, of: Sequence[VectorTable] = TABLES) -> list[dict[str, object]]:
    """What is set aside, the first hundred: which turn, entry or file it is, and why it has no vectors."""
    return [
        {one.kind: said, "why": why}
        for one in of
        for said, why in connection.execute(
            f"SELECT {one.said}, b.failed FROM {one.backlog} b WHERE b.space_id = ? AND b.failed IS NOT NULL LIMIT 100",
            (space,),
        )
    ]


def requeue_missing(connection: Connection, space: int) -> int:
    """Put every text without a vector back into the backlog, also those that were set aside; how many wait then."""
    for of in TABLES:
        connection.execute(f"DELETE FROM {of.backlog} WHERE space_id = ?", (space,))
    queue_lost(connection, space)
    connection.execute(
        "UPDATE space SET covered = (SELECT coalesce(max(id), 0) FROM content) WHERE id = ?", (space,)
    )
    counts = [
        connection.execute(f"SELECT count(*) FROM {of.backlog} WHERE space_id = ?", (space,)).get
        for of in TABLES
    ]
    return sum(map(int, counts))


def queue_lost(connection: Connection, space: int) -> None:
    """Let every text wait that has no vector and waits for none."""
    connection.execute(
        """INSERT OR IGNORE INTO backlog (space_id, sort_ms, content_id)
             SELECT ?1, max(coalesce(t.sort_ms, 0)), t.content_id FROM turn t
             WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.content_id = t.content_id AND v.space_id = ?1)
               AND NOT EXISTS (SELECT 1 FROM backlog b WHERE b.content_id = t.content_id AND b.space_id = ?1)
             GROUP BY t.content_id""",
        (space,),
    )
    for of in (ENTRIES, SECTIONS):
        connection.execute(
            f"""INSERT OR IGNORE INTO {of.backlog} (space_id, {of.owner}) SELECT ?1, c.id FROM {of.texts} c
                WHERE NOT EXISTS (SELECT 1 FROM {of.name} v WHERE v.{of.owner} = c.id AND v.space_id = ?1)""",
            (space,),
        )
