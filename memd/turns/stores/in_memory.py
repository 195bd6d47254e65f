"""Turns in this process alone; nothing of them outlives it."""

from __future__ import annotations

from memd.turns.stores.sqlite import IN_MEMORY, SQLiteStore


class InMemoryStore(SQLiteStore):
    """Turns in the memory of this process, searched by the same index as those in a file."""

    def __init__(self) -> None:
        super().__init__(IN_MEMORY)
