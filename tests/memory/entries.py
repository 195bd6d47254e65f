"""Entries and their vectors for tests, stored as the writer stores them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memd.db.database import Database
from memd.db.driver import Connection
from memd.memory import nearest, table
from memd.memory.entry import EVERYWHERE, Draft, EntryType, MemoryScope
from memd.providers.embedding.hashed import HashEmbedder
from memd.providers.embedding.quantise import to_blobs
from memd.sources import attribution
from memd.sources.projects import Project
from memd.turns import serving, spaces

NOW = 1_790_000_000_000
DAY_MS = 86_400_000


def add(
    db: Database,
    content: str,
    *,
    type: EntryType = "fact",
    importance: int = 5,
    scope: MemoryScope = EVERYWHERE,
    days: float = 0.0,
    dead: bool = False,
) -> int:
    """Store an entry that was seen so many days ago; its id."""

    def work(connection: Connection) -> int:
        entry = table.insert(connection, Draft(content, type, importance, scope), NOW - int(days * DAY_MS))
        if dead:
            connection.execute("UPDATE entry SET superseded_ms = ? WHERE id = ?", (NOW, entry))
        return entry

    return db.write_now(work)


def project(db: Database, path: str) -> int:
    """The row of a project, made where it is new."""
    return db.write_now(attribution.row_of, Project(path.rsplit("/", 1)[-1], path, "cwd"))


def space(db: Database) -> int:
    """The vector space of the hash embedder, which serves."""
    key, dim = HashEmbedder().space.key, HashEmbedder().space.dim
    db.write_now(serving.settle, "hash", key, dim, NOW, asked=False)
    return db.write_now(spaces.ensure, key, dim)


def embed(db: Database, number: int, texts: Iterable[tuple[int, str]]) -> None:
    """Store the vectors of entries, by what their content means to the hash embedder."""
    for entry, text in texts:
        (windows,) = HashEmbedder().embed_documents([text])
        db.write_now(nearest.put, number, entry, to_blobs(windows))


def place(db: Database, number: int, entry: int, vector: np.ndarray) -> None:
    """Store a vector as it is."""
    db.write_now(nearest.put, number, entry, to_blobs(vector.reshape(1, -1)))
