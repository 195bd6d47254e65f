"""Entries for tests as the writer stores them, with vectors of a wanted cosine, and what stands in the tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memd.db.database import Database
from memd.memory import table, writer
from memd.memory.entry import Draft, EntryType, MemoryEntry, MemoryScope
from memd.memory.meaning import Meaning
from memd.turns import spaces
from tests.memory.entries import NOW

DIM = 64


def meaning(db: Database, cosine: float = 1.0, axis: int = 1) -> Meaning:
    """A vector with that cosine to the one of 1.0; ``axis`` is where the rest of it points."""
    vector = np.zeros((1, DIM), np.float32)
    vector[0, 0], vector[0, axis] = cosine, (1 - cosine**2) ** 0.5
    return Meaning(db.write_now(spaces.ensure, "test", DIM), vector)


def store(
    db: Database,
    content: str,
    *,
    type: EntryType = "fact",
    importance: int = 5,
    scope: MemoryScope | None = None,
    meaning: Meaning | None = None,
    at_ms: int = NOW,
    by_hand: bool = False,
) -> writer.Created | writer.Refreshed | writer.Forgotten:
    """Store a text."""
    draft = Draft(content, type, importance, scope or MemoryScope())
    return db.write_now(writer.store, draft, meaning, at_ms, by_hand=by_hand)


def created(db: Database, content: str, **more: object) -> int:
    """Store a text that must be new; its id."""
    done = store(db, content, **more)  # type: ignore[arg-type]  # options by name
    assert isinstance(done, writer.Created), done
    return done.id


def get(db: Database, entry: int) -> MemoryEntry:
    """The entry of that id, which must be there."""
    found = db.read_now(table.get, entry)
    assert found is not None
    return found


def live(db: Database) -> Sequence[str]:
    """The texts of all live entries, in the order in which they came."""
    rows = db.read_now(
        lambda c: c.execute("SELECT content FROM entry WHERE superseded_ms IS NULL ORDER BY id").fetchall()
    )
    return [str(text) for (text,) in rows]
