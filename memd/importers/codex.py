"""Codex's rollouts, ``rollout-*.jsonl``: a session a file, a line an item of the conversation or a notice about it.

The items that went to the model and came from it are the turns; the events repeat them for the screen. A rollback
leaves the last prompts and all behind them; which, is found by reading the file once ahead. The first rollouts had
bare items without an envelope.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence

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
    rollout = _Rollout(_rolled_back(file, into), into)
    for raw in into.records(file):
        record = into.value(raw)
        if isinstance(record, dict):
            rollout.line(record, raw.at)
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


def _typed(text: str) -> str:
    """What a person typed of a user's text; nothing where Codex put it there."""
    if text.lstrip().startswith(_NOTICES):
        return ""
    return _ASKED_IN_EDITOR.sub("", text)


class _Rollout:
    """One file: what it says of its session, and what was said in it so far.

    A fork begins with a copy of its origin, so a turn is known by all that was said up to it: the copies are the turns
    they were copied from, and equal words later on are others. What gives no turn counts too, whatever gives one.
    """

    def __init__(self, gone: Sequence[tuple[int, int]], into: Gathering) -> None:
        self._gone, self._into = gone, into
        self._session: Session | None = None
        self._id: str | None = None
        self._origin: str | None = None  # the first of the sessions that this one was forked from
        self._subagent = False
        self._cwd: str | None = None
        self._branch: str | None = None
        self._continues: str | None = None
        self._said = ""  # what stands for all messages so far
        self._tools = 0  # since the last of them

    def line(self, record: Json, at: int) -> None:
        """Take in a line."""
        item, kind = _item(record), text_of(record, "type")
        if kind == "session_meta" or (kind is None and "instructions" in record):
            self._note(item)
            self._into.skip(Skip.META)
        elif kind == "response_item" or (kind and item is record):
            self._take(item, record.get("timestamp"), at)
        elif kind in _ENVELOPES or "record_type" in record:
            if self._session and item.get("type") == "thread_name_updated":
                self._session.title = text_of(item, "thread_name")
            self._into.skip(Skip.META)
        elif kind:
            self._into.skip(Skip.UNSUPPORTED)
        else:
            self._into.bad(at)

    def _note(self, meta: Json) -> None:
        """What is said of the session; a fork repeats what its origin said of itself."""
        id, before = text_of(meta, "id"), text_of(meta, "forked_from_id")
        if not self._said:
            self._origin = before or id or self._origin
        if self._id is not None:
            return
        git, source = meta.get("git"), meta.get("source")
        self._id, self._cwd, self._continues = id, text_of(meta, "cwd"), before
        self._branch = text_of(git, "branch") if isinstance(git, dict) else None
        self._subagent = isinstance(source, dict) and "subagent" in source

    def _take(self, item: Json, time: object, at: int) -> None:
        kind, role, parts = text_of(item, "type"), text_of(item, "role"), item.get("content")
        if kind != "message":
            self._tool(item, kind or "", time, at)
        elif not isinstance(parts, list) or role not in ("system", "developer", "user", "assistant"):
            self._into.bad(at)
        elif role in ("system", "developer"):
            self._into.skip(Skip.SYSTEM)
        else:
            texts = [text_of(part, "text") if isinstance(part, dict) else None for part in parts]
            self._said = derive(self._said, role, *(text or "" for text in texts))
            self._tools = 0
            words = [
                word
                for text, part in zip(texts, parts, strict=True)
                if (word := self._words(text, part, role))
            ]
            if words:
                self._turn(role, "\n\n".join(words), time, at)

    def _words(self, text: str | None, part: object, role: str) -> str:
        """The words of a part of a message; what else it is, is counted."""
        if text is None:
            image = isinstance(part, dict) and "image" in str(part.get("type"))
            self._into.skip(Skip.ATTACHMENT if image else Skip.EMPTY)
            return ""
        words = _typed(text) if role == "user" else text
        if not words:
            self._into.skip(Skip.META)
        return words

    def _tool(self, item: Json, kind: str, time: object, at: int) -> None:
        reason = _ITEMS.get(kind, Skip.TOOL_OUTPUT if "call" in kind or "tool" in kind else Skip.UNSUPPORTED)
        said = item.get("output", item.get("arguments", item.get("input", item.get("action"))))
        if reason is Skip.TOOL_OUTPUT and self._into.wanted.tool_output and said:
            self._tools += 1
            words = said if isinstance(said, str) else orjson.dumps(said).decode()
            self._turn("tool", words, time, at, f"tool {self._tools}")
        else:
            self._into.skip(reason)

    def _turn(self, role: str, words: str, time: object, at: int, part: str = "") -> None:
        if self._subagent or any(first <= at < last for first, last in self._gone):
            self._into.skip(Skip.SUBAGENT if self._subagent else Skip.OTHER_BRANCH)
            return
        self._id = self._id or f"codex-{derive(role, words)[:12]}"
        session = self._session = self._into.session(self._id)
        session.cwd, session.branch, session.continues = self._cwd, self._branch, self._continues
        origin = self._origin or self._id
        self._into.turn(session, role, words, seq=at, id=self._said, time=time, part=part, origin=origin)
