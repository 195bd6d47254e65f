"""Codex's rollouts, ``rollout-*.jsonl``: a session a file, a line an item of the conversation or a notice about it.

The items that went to the model and came from it are the turns; the events repeat them for the screen. A rollback
leaves the last prompts and all behind them; which, is found by reading the file once ahead. The first rollouts had
bare items without an envelope.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from memd.ids import derive
from memd.importers.gathering import Gathering, Session
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of

Json = Mapping[str, object]

_ENVELOPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
)
_ITEMS = {
    "reasoning": Skip.THINKING,
    "compaction": Skip.META,
    "compaction_summary": Skip.META,
    "ghost_snapshot": Skip.META,
}
_NOTICES = (
    "<user_instructions>",
    "<environment_context>",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<hook_prompt",
    "# AGENTS.md instructions",
)
_ASKED_IN_EDITOR = re.compile(
    r"\A# Context from my IDE setup:.*^## My request for Codex:[ \t]*\n", re.M | re.S
)


@dataclass(slots=True)
class _Session:
    """What the file says of its session."""

    piece: Session | None = None
    id: str | None = None
    subagent: bool = False
    facts: dict[str, str | None] = field(default_factory=dict)


def fits(record: Json) -> bool:
    """True for a line of a rollout, of the first ones too."""
    if text_of(record, "type") in _ENVELOPES:
        return isinstance(record.get("payload"), dict)
    item = record.get("type") == "message" and isinstance(record.get("content"), list)
    return (item and isinstance(record.get("role"), str)) or (
        "instructions" in record and "timestamp" in record and "id" in record and "role" not in record
    )


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the session; how far the file is read, after each line."""
    gone = _rolled_back(file, into)
    session = _Session()
    for raw in into.records(file):
        record = into.value(raw)
        if isinstance(record, dict):
            _line(record, raw.at, any(first <= raw.at < last for first, last in gone), session, into)
        elif record is not None:
            into.bad(raw.at)
        yield raw.end


def _rolled_back(file: DataFile, into: Gathering) -> list[tuple[int, int]]:
    """Where the stretches are that were taken back, from their first prompt on."""
    prompts = array("Q")
    gone: list[tuple[int, int]] = []
    for raw in into.records(file):
        item = _item(raw.value) if isinstance(raw.value, dict) else None
        if item and item.get("type") == "thread_rolled_back":
            count = item.get("num_turns")
            if isinstance(count, int) and count > 0 and prompts:
                gone.append((prompts[max(0, len(prompts) - count)], raw.at))
                del prompts[max(0, len(prompts) - count) :]
        elif item and _is_prompt(item):
            prompts.append(raw.at)
    return gone


def _item(record: Json) -> Json:
    payload = record.get("payload")
    return payload if isinstance(payload, dict) else record


def _is_prompt(item: Json) -> bool:
    parts = item.get("content")
    return (
        item.get("type") == "message"
        and item.get("role") == "user"
        and isinstance(parts, list)
        and any(_typed(text_of(part, "text") or "") for part in parts if isinstance(part, dict))
    )


def _line(record: Json, at: int, gone: bool, session: _Session, into: Gathering) -> None:
    item, kind = _item(record), text_of(record, "type")
    if kind == "session_meta" or (kind is None and "instructions" in record):
        _note(item, session)
        into.skip(Skip.META)
    elif kind == "response_item" or (kind and item is record):
        _take(item, record, at, gone, session, into)
    elif kind in _ENVELOPES or "record_type" in record:
        if session.piece and item.get("type") == "thread_name_updated":
            session.piece.title = text_of(item, "thread_name")
        into.skip(Skip.META)
    elif kind:
        into.skip(Skip.UNSUPPORTED)
    else:
        into.bad(at)


def _note(meta: Json, session: _Session) -> None:
    """What the first line says; a fork repeats its origin's behind it, which tells where it came from."""
    id = text_of(meta, "id")
    if session.id is not None:
        return
    git = meta.get("git")
    session.id = id
    session.subagent = isinstance(source := meta.get("source"), dict) and "subagent" in source
    session.facts = {
        "cwd": text_of(meta, "cwd"),
        "branch": text_of(git, "branch") if isinstance(git, dict) else None,
        "continues": text_of(meta, "forked_from_id"),
    }


def _take(item: Json, record: Json, at: int, gone: bool, session: _Session, into: Gathering) -> None:
    kind, role = text_of(item, "type"), text_of(item, "role")
    if kind != "message":
        _tool(item, kind or "", record, at, gone, session, into)
        return
    parts = item.get("content")
    if not isinstance(parts, list):
        into.bad(at)
    elif role in ("system", "developer"):
        into.skip(Skip.SYSTEM)
    elif role not in ("user", "assistant"):
        into.bad(at)
    elif words := _words(parts, role, into):
        _turn(role, words, item, record, at, gone, session, into)


def _words(parts: list[object], role: str, into: Gathering) -> str:
    words: list[str] = []
    for part in parts:
        said = text_of(part, "text") if isinstance(part, dict) else None
        if said is None:
            image = isinstance(part, dict) and "image" in str(part.get("type"))
            into.skip(Skip.ATTACHMENT if image else Skip.EMPTY)
        elif typed := _typed(said) if role == "user" else said:
            words.append(typed)
        else:
            into.skip(Skip.META)
    return "\n\n".join(words)


def _typed(text: str) -> str:
    """What a person typed of a user's text; nothing where Codex put it there."""
    if text.lstrip().startswith(_NOTICES):
        return ""
    return _ASKED_IN_EDITOR.sub("", text)


def _tool(
    item: Json, kind: str, record: Json, at: int, gone: bool, session: _Session, into: Gathering
) -> None:
    reason = _ITEMS.get(kind, Skip.TOOL_OUTPUT if "call" in kind or "tool" in kind else Skip.UNSUPPORTED)
    said = item.get("output", item.get("arguments", item.get("input", item.get("action"))))
    if reason is Skip.TOOL_OUTPUT and into.wanted.tool_output and said:
        _turn(
            "tool",
            said if isinstance(said, str) else orjson.dumps(said).decode(),
            item,
            record,
            at,
            gone,
            session,
            into,
        )
    else:
        into.skip(reason)


def _turn(
    role: str,
    words: str,
    item: Json,
    record: Json,
    at: int,
    gone: bool,
    session: _Session,
    into: Gathering,
) -> None:
    if session.subagent or gone:
        into.skip(Skip.SUBAGENT if session.subagent else Skip.OTHER_BRANCH)
        return
    if session.id is None:
        session.id = f"codex-{derive(role, words)[:12]}"
    piece = session.piece = into.session(session.id)
    piece.cwd, piece.branch = session.facts.get("cwd"), session.facts.get("branch")
    piece.continues = session.facts.get("continues")
    time = record.get("timestamp")
    into.turn(piece, role, words, seq=at, id=text_of(item, "id"), time=time, part=role)
