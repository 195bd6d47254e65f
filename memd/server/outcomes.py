"""What became of an entry: as answers have it, and as the undo journal names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import assert_never

from memd.db.driver import Connection
from memd.memory import table
from memd.memory.writer import (
    AlreadyRetired,
    AlreadySuperseded,
    Created,
    Deleted,
    Forgotten,
    Merged,
    Missing,
    NothingToMerge,
    Refreshed,
    Retired,
    Reviewed,
    Superseded,
)
from memd.server import records
from memd.server.records import Record

Outcome = (
    Created
    | Refreshed
    | Forgotten
    | Superseded
    | Merged
    | NothingToMerge
    | Retired
    | Deleted
    | Reviewed
    | Missing
    | AlreadySuperseded
    | AlreadyRetired
)


def record(connection: Connection, done: Outcome) -> Record:
    """``action``, and what there is to say with it: of a stored entry all of it."""
    match done:
        case Created(id, conflicts):
            return {
                "action": "created",
                **_entry(connection, id),
                "potential_conflicts": [asdict(c) for c in conflicts],
            }
        case Refreshed(id, reworded):
            told = {"reworded": reworded, "potential_conflicts": []}
            return {"action": "deduplicated", **_entry(connection, id), **told}
        case Forgotten():
            return {"action": "forgotten"}
        case Superseded(old_id, id):
            return {"action": "superseded", "old_id": old_id, **_entry(connection, id)}
        case Merged(id, merged, dead, missing):
            told = {"merged_ids": merged, "dead": dead, "not_found": missing}
            return {"action": "merged", **told, **_entry(connection, id)}
        case NothingToMerge(dead, missing):
            action = "not_live" if dead else "not_found"
            return {
                "action": action,
                "old_ids": sorted([*dead, *missing]),
                "dead": dead,
                "not_found": missing,
            }
        case Retired(id):
            return {"action": "retired", "id": id}
        case Deleted(id):
            return {"action": "deleted", "id": id}
        case Reviewed(id):
            return {"action": "reviewed", "id": id}
        case Missing(id):
            return {"action": "not_found", "id": id}
        case AlreadySuperseded(id, successor, head):
            return {"action": "already_superseded", "id": id, "superseded_by": successor, "head": head}
        case AlreadyRetired(id):
            return {"action": "already_retired", "id": id}
    assert_never(done)


def change(done: Outcome) -> str:
    """The change by the ids of its entries."""
    match done:
        case Superseded(old_id, id):
            return f"supersede {old_id} by {id}"
        case Merged(id, merged):
            return f"merge {_listed(merged)} into {id}"
        case Retired(id):
            return f"retire {id}"
        case Deleted(id):
            return f"delete {id}"
        case Created(id):
            return f"remember {id}"
        case Refreshed(id):
            return f"remember {id} again"
    return "nothing"


def _entry(connection: Connection, entry: int) -> Record:
    return records.of_entry(table.by_ids(connection, [entry])[entry])


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids))
