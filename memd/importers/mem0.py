"""A Mem0 export: what ``get_all`` gave, or the list of memories in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memd.importers import timestamps
from memd.importers.gathering import Gathering, id_of
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of
from memd.importers.roles import role_of

Json = Mapping[str, object]


def fits(record: Json) -> bool:
    """True for a memory, and for what holds a short list of them."""
    if isinstance(record.get("memory"), str):
        return True
    held = record.get("results", record.get("memories"))
    return (
        isinstance(held, list) and bool(held) and all(isinstance(one, dict) and fits(one) for one in held[:3])
    )


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the memories; how far the file is read, after each."""
    for raw in into.records(file):
        found = into.value(raw)
        held = found.get("results", found.get("memories")) if isinstance(found, dict) else None
        for record in held if isinstance(held, list) else [found]:
            if record is not None:
                _memory(record, into)
        yield raw.end


def _memory(record: object, into: Gathering) -> None:
    text = text_of(record, "memory") if isinstance(record, dict) else None
    if not isinstance(record, dict) or text is None:
        into.bad()
        return
    role = role_of(record.get("role") or "user")
    if role is None:
        into.bad()
    elif role == "system" or (role == "tool" and not into.wanted.tool_output):
        into.skip(Skip.SYSTEM if role == "system" else Skip.TOOL_OUTPUT)
    else:
        session = into.session(
            id_of(record, "run_id"), user_id=id_of(record, "user_id"), agent_id=id_of(record, "agent_id")
        )
        time = record.get("created_at")
        seq = timestamps.milliseconds(time) or 0  # an export is in no order that could be relied on
        into.turn(session, role, text, seq=seq, id=id_of(record, "id"), time=time)
