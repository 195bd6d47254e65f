"""The novelty gate: a reflection is worth its price once there is enough that no reflection has seen."""

from __future__ import annotations

from memd.db.driver import Connection
from memd.reflection import batch

MIN_NEW = 3


def opens(connection: Connection, project: int | None, min_new: int = MIN_NEW) -> bool:
    """Whether enough is to be read of a project, or of all; where nothing is, it never is."""
    return batch.count(connection, project) >= max(1, min_new)
