"""Plain JSON, a message a line (or an element of a list): ``role``, ``content``, and where it is known ``timestamp``,
``id``, ``session_id``, ``user_id`` and ``agent_id``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memd.ids import derive
from memd.importers import timestamps
from memd.importers.gathering import Gathering, id_of
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of
from memd.importers.roles import role_of

Json = Mapping[str, object]

_TEXTS = frozenset({"text", "input_text", "output_text"})
_TOOLS = frozenset({"tool_use", "tool_call", "tool_result", "function_call", "function_call_output"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})


def fits(record: Json) -> bool:
    """True for a message."""
    return isinstance(record.get("role"), str) and ("content" in record or "text" in record)


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the messages; how far the file is read, after each."""
    name = ""
    for raw in into.records(file):
        record = into.value(raw)
        role = role_of(record.get("role")) if isinstance(record, dict) else None
        if isinstance(record, dict) and role and fits(record):
            name = name or _name(record)
            _message(record, role, raw.at, name, into)
        elif record is not None:
            into.bad()
        yield raw.end


def _name(first: Json) -> str:
    """A name for the session of lines that name none: it is told from others by how it begins."""
    said = str(first.get("content", first.get("text")))
    return f"jsonl-{derive(str(first['role']), timestamps.raw(_time(first)) or '', said)[:12]}"


def _time(record: Json) -> object:
    return record.get("timestamp") if record.get("timestamp") is not None else record.get("created_at")


def _message(record: Json, role: str, at: int, name: str, into: Gathering) -> None:
    content = record.get("content", record.get("text"))
    if not isinstance(content, str | list):
        into.bad()
        return
    if role == "system" or (role == "tool" and not into.wanted.tool_output):
        into.skip(Skip.SYSTEM if role == "system" else Skip.TOOL_OUTPUT)
        return
    session = into.session(
        id_of(record, "session_id") or id_of(record, "run_id"),
        user_id=id_of(record, "user_id"),
        agent_id=id_of(record, "agent_id"),
        name=name,
    )
    session.title = text_of(record, "title") or session.title
    text, others = (content, 0) if isinstance(content, str) else _parts(content, into)
    if text or not others:
        into.turn(session, role, text, seq=at, id=id_of(record, "id"), time=_time(record))


def _parts(parts: list[object], into: Gathering) -> tuple[str, int]:
    """The words of a content in parts; what else it holds is counted, and how much that is."""
    words: list[str] = []
    others = 0
    for part in parts:
        kind = text_of(part, "type") or "text" if isinstance(part, dict) else None
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, dict) and kind in _TEXTS:
            words.append(text_of(part, "text") or "")
        else:
            others += 1
            into.skip(_reason(kind))
    return "\n".join(words), others


def _reason(kind: str | None) -> Skip:
    if kind in _TOOLS:
        return Skip.TOOL_OUTPUT
    if kind in _THOUGHTS:
        return Skip.THINKING
    image = kind is not None and ("image" in kind or "audio" in kind or "file" in kind or kind == "document")
    return Skip.ATTACHMENT if image else Skip.UNSUPPORTED
