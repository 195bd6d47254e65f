"""The novelty gate: a reflection is worth its price once there is enough that no reflection has seen."""

from __future__ import annotations

from memd.db.driver import Connection
from memd.reflection import batch, passed_over

MIN_NEW = 3

TOO_LITTLE = "not enough new observations since last reflection"
NOTHING = "no unreflected entries found"


def why_shut(connection: Connection, project: int | None, min_new: int = MIN_NEW) -> str | None:
    """Why a reflection of a project, or of all, is not worth it; None where it is. Where nothing is new it never is.

    What was passed over and somebody asked for is always worth it.
    """
    if passed_over.is_asked_again(connection, project):
        return None
    waiting = batch.count(connection, project)
    if waiting < min_new:
        return TOO_LITTLE
    return None if waiting else NOTHING
