"""Applying today's redaction rules to what is stored already: text, index, vectors (R12)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.ids import content_key
from memd.turns import table
from memd.turns.redact import redact

BATCH_TEXTS = 200


@dataclass(slots=True)
class Redone:
    """How many texts were looked at and changed, and what was taken out, by kind."""

    texts: int = 0
    changed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def step(connection: Connection, after: int, done: Redone) -> int | None:
    """The next texts after a row; where to go on, or None at the end. Call ``check.compact`` when all are through."""
    rows = connection.execute(
        "SELECT id, text FROM content WHERE id > ? ORDER BY id LIMIT ?", (after, BATCH_TEXTS)
    ).fetchall()
    for content, text in rows:
        result = redact(str(text))
        if result.text != text:
            _replace(connection, driver.number(content), result.text)
            done.changed += 1
            done.kinds.update(result.counts)
            table.count_redactions(connection, dict(result.counts))
    done.texts += len(rows)
    return driver.number(rows[-1][0]) if rows else None


def _replace(connection: Connection, content: int, text: str) -> None:
    """Give the turns of a text its redacted form: a text that stands already, or this row rewritten."""
    turns = [
        int(row[0]) for row in connection.execute("SELECT rowid FROM turn WHERE content_id = ?", (content,))
    ]
    fts.remove(connection, turns)
    fts.insert(connection, [(rowid, text) for rowid in turns])
    connection.execute("DELETE FROM vector WHERE content_id = ?", (content,))
    key = content_key(text)
    twin = connection.execute("SELECT id FROM content WHERE key = ?", (key,)).get
    if twin is None:
        connection.execute("UPDATE content SET key = ?, text = ? WHERE id = ?", (key, text, content))
        connection.execute(
            """INSERT OR IGNORE INTO backlog (space_id, sort_ms, content_id)
                 SELECT space.id, coalesce(max(t.sort_ms), 0), ?1 FROM space, turn t
                 WHERE t.content_id = ?1 GROUP BY space.id""",
            (content,),
        )
    else:
        connection.execute("UPDATE turn SET content_id = ? WHERE content_id = ?", (twin, content))
        connection.execute("DELETE FROM content WHERE id = ?", (content,))
