"""An entry as every answer has it."""

from __future__ import annotations

from memd.clock import iso
from memd.memory.entry import MemoryEntry

Record = dict[str, object]


def of_entry(entry: MemoryEntry) -> Record:
    """The record of an entry, live or not; times are ISO, in UTC."""
    return {
        "id": entry.id,
        "content": entry.content,
        "entry_type": entry.type,
        "importance": entry.importance,
        "memory_class": entry.memory_class,
        "created_at": iso(entry.created_ms),
        "first_seen_at": iso(entry.first_seen_ms),
        "sightings": entry.sightings,
        "scope": entry.scope.level,
        "project": entry.project,
        "branch": entry.scope.branch,
        "reviewed_at": None if entry.reviewed_ms is None else iso(entry.reviewed_ms),
        "superseded_by": entry.superseded_by,
        "superseded_at": None if entry.superseded_ms is None else iso(entry.superseded_ms),
    }
