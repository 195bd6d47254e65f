"""Whose turns are that stand here already, where somebody says it later. Runs in a write."""

from __future__ import annotations

from collections.abc import Sequence

from memd.db.driver import Connection
from memd.turns.turn import Turn


def note(connection: Connection, user: str, turns: Sequence[Turn], *, file_id: int | None) -> None:
    """Note whose turns are; only the file that owns one decides."""
    connection.executemany(
        "UPDATE turn SET user_id = ? WHERE id = ? AND file_id = ?",
        [(user, turn.id, file_id) for turn in turns],
    )
