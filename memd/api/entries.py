"""Writing entries: store, supersede, merge, retire, delete."""

from __future__ import annotations

from memd.api import embeddings, storage
from memd.api.records import Record
from memd.db.driver import Connection
from memd.memory import dedup, table, writer
from memd.memory.entry import TYPES, Draft, EntryType, MemoryScope, clamped
from memd.memory.writer import (
    AlreadyRetired,
    AlreadySuperseded,
    Created,
    Dead,
    Forgotten,
    Merged,
    Missing,
    NothingToMerge,
    Refreshed,
    Retired,
    Superseded,
)
from memd.sources import attribution
from memd.turns.redact import redact


def store_memory(
    conn: Connection,
    content: str,
    entry_type: str = "fact",
    importance: int = 5,
    *,
    scope: str = "global",
    project: str | None = None,
    branch: str | None = None,
) -> Record:
    """Store an entry, or count a sighting of one that says the same.

    A type that is not known is ``fact``, a scope that is not known ``global``. ``potential_conflicts`` are entries that
    may say the opposite; they never stand in the way.
    """
    text = _content(content)
    storage.check_writable(conn)
    meaning = embeddings.meaning(conn, text, write=True)

    def work() -> Created | Refreshed | Forgotten:
        holds = _scope(conn, scope, project, branch)
        draft = Draft(text, _type(entry_type), _importance(importance), holds)
        return writer.store(conn, draft, meaning, storage.now_ms(), by_hand=True)

    match storage.write(conn, "store_memory", work):
        case Created(entry, conflicts):
            told: Record = {
                "action": "created",
                "potential_conflicts": [_conflict(one) for one in conflicts],
            }
        case Refreshed(entry):
            told = {"action": "deduplicated", "potential_conflicts": []}
        case Forgotten():
            raise AssertionError("what a person says is stored, whatever was forgotten before")
    return {**told, **_stands(conn, entry, project)}


def find_duplicate(
    conn: Connection, content: str, entry_type: str, *, project: str | None = None
) -> int | None:
    """The live entry that says the same, of that type and that project (of none, where none is given)."""
    text = _content(content)
    rows = [] if project is None else attribution.known_as(conn, project)
    if project is not None and len(rows) != 1:
        return None
    holds = MemoryScope(rows[0] if rows else None)
    draft = Draft(text, _type(entry_type), scope=holds)
    found = dedup.find(conn, draft, embeddings.meaning(conn, text), writer.USUAL_THRESHOLDS)
    return found.duplicate


def supersede_memory(conn: Connection, old_id: int, content: str, *, importance: int | None = None) -> Record:
    """Put a new entry in the place of a live one; an old one that is dead or missing is left as it is, and told."""
    text = _content(content)
    storage.check_writable(conn)
    meaning = embeddings.meaning(conn, text, write=True)
    done = storage.write(
        conn,
        f"supersede_memory {old_id}",
        lambda: writer.supersede(conn, old_id, text, meaning, storage.now_ms(), importance),
    )
    match done:
        case Superseded(old, new):
            return {"action": "superseded", "old_id": old, **_stands(conn, new)}
        case Missing(old):
            return {"action": "not_found", "old_id": old}
        case AlreadySuperseded() | AlreadyRetired():
            return {**_dead(done), "old_id": old_id}


def merge_memories(
    conn: Connection, old_ids: list[int], content: str, *, importance: int | None = None
) -> Record:
    """Put one new entry in the place of all live ones; those that are dead or missing are told."""
    text = _content(content)
    storage.check_writable(conn)
    meaning = embeddings.meaning(conn, text, write=True)
    done = storage.write(
        conn,
        "merge_memories",
        lambda: writer.merge(conn, old_ids, text, meaning, storage.now_ms(), importance),
    )
    match done:
        case Merged(new, merged, dead, missing):
            told = {"merged_ids": list(merged), "not_found": list(missing), "dead": list(dead)}
            return {"action": "merged", **told, **_stands(conn, new)}
        case NothingToMerge(dead):
            return {"action": "not_found", "old_ids": list(old_ids), "dead": list(dead)}


def retire_memory(conn: Connection, entry_id: int) -> Record:
    """Let an entry hold no longer, without a successor."""
    done = storage.write(
        conn, f"retire_memory {entry_id}", lambda: writer.retire(conn, entry_id, storage.now_ms())
    )
    match done:
        case Retired():
            return {"action": "retired", "id": entry_id}
        case Missing():
            return {"action": "not_found", "id": entry_id}
        case AlreadySuperseded() | AlreadyRetired():
            return {**_dead(done), "id": entry_id}


def delete_entry(conn: Connection, entry_id: int) -> bool:
    """Remove an entry; False where there is none."""
    done = storage.write(conn, f"delete_entry {entry_id}", lambda: writer.delete(conn, entry_id))
    return isinstance(done, writer.Deleted)


def _content(content: object) -> str:
    """The text without its secrets; ValueError where there is none."""
    if not isinstance(content, str) or not content.strip():
        raise ValueError("content must be a text that is not blank")
    return redact(content.strip()).text


def _importance(given: object) -> int:
    if isinstance(given, int | float | str):
        try:
            return clamped(int(given))
        except (ValueError, OverflowError):
            pass
    raise ValueError(f"importance is a number from 1 to 10, not {given!r}")


def _type(name: str) -> EntryType:
    return next((known for known in TYPES if known == name), "fact")


def _scope(conn: Connection, level: str, project: str | None, branch: str | None) -> MemoryScope:
    if level not in ("project", "branch"):
        return MemoryScope()
    if not project or (level == "branch" and not branch):
        raise ValueError(f"scope {level!r} needs a {'project' if not project else 'branch'}")
    return MemoryScope(attribution.called(conn, project), branch if level == "branch" else None)


def _stands(conn: Connection, entry_id: int, project: str | None = None) -> Record:
    """What stands there now; the project by the name that was given."""
    [entry] = table.by_ids(conn, [entry_id]).values()
    return {
        "id": entry.id,
        "content": entry.content,
        "scope": entry.scope.level,
        "project": None if entry.scope.project is None else project or entry.project_name,
        "branch": entry.scope.branch,
    }


def _dead(done: Dead) -> Record:
    match done:
        case AlreadySuperseded(_, successor, head):
            return {"action": "already_superseded", "superseded_by": successor, "live": head}
        case AlreadyRetired():
            return {"action": "already_retired"}


def _conflict(conflict: dedup.Conflict) -> Record:
    return {"id": conflict.id, "content": conflict.content, "similarity": round(conflict.similarity, 4)}
