"""One rollout of Codex, line by line: what it says of its session, its turns, and which prompts were taken back."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence

import orjson

from memd.ids import derive
from memd.importers.gathering import Gathering
from memd.importers.reasons import Skip
from memd.importers.records import text_of

Json = Mapping[str, object]
Stretch = tuple[int, int]  # offsets of lines: from the first on, up to the second

ENVELOPES = frozenset(
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
_FACTS = ("id", "origin", "subagent", "cwd", "branch", "continues", "said", "tools")


def item_of(record: Json) -> Json:
    """What stands in a line's envelope; the line itself where it has none."""
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


class Prompts:
    """Where the prompts stand that were not taken back; ``steps`` are kept to know them again."""

    def __init__(self, steps: Iterable[int] = ()) -> None:
        self._places = array("Q")
        for step in steps:
            self._step(step)
        self.steps: list[
            int
        ] = []  # since the last time: the place of a prompt, or below 0 how many were taken back

    def note(self, record: Json, at: int) -> Stretch | None:
        """The stretch that a line takes back, from its first prompt up to the line; None where it takes back none."""
        item = item_of(record)
        if item.get("type") == "thread_rolled_back":
            count = item.get("num_turns")
            if not isinstance(count, int) or count <= 0 or not self._places:
                return None
            first = self._places[max(0, len(self._places) - count)]
            self._note(-min(count, len(self._places)))
            return first, at
        if _is_prompt(item):
            self._note(at + 1)
        return None

    def _note(self, step: int) -> None:
        self._step(step)
        self.steps.append(step)

    def _step(self, step: int) -> None:
        if step > 0:
            self._places.append(step - 1)
        else:
            del self._places[step:]


class Rollout:
    """One file: what it says of its session, and what was said in it so far. ``gone`` are stretches to leave out.

    A fork begins with a copy of its origin, so a turn is known by all that was said up to it: the copies are the turns
    they were copied from, and equal words later on are others. What gives no turn counts too, whatever gives one.
    """

    def __init__(self, into: Gathering, gone: Sequence[Stretch] = ()) -> None:
        self._gone, self._into = gone, into
        self.id: str | None = None
        self.origin: str | None = None  # the first of the sessions that this one was forked from
        self.subagent = False
        self.cwd: str | None = None
        self.branch: str | None = None
        self.continues: str | None = None
        self.said = ""  # what stands for all messages so far
        self.tools = 0  # since the last of them

    def dump(self) -> dict[str, object]:
        """What must be known of the lines so far, to read on behind them."""
        return {name: getattr(self, name) for name in _FACTS}

    def load(self, facts: Mapping[str, object]) -> None:
        """Go on from what ``dump`` gave."""
        for name in _FACTS:
            setattr(self, name, facts[name])

    def line(self, record: Json, at: int) -> None:
        """Take in a line."""
        item, kind = item_of(record), text_of(record, "type")
        if kind == "session_meta" or (kind is None and "instructions" in record):
            self._note(item)
            self._into.skip(Skip.META)
        elif kind == "response_item" or (kind and item is record):
            self._take(item, record.get("timestamp"), at)
        elif kind in ENVELOPES or "record_type" in record:
            if self.id and item.get("type") == "thread_name_updated":
                self._into.session(self.id).title = text_of(item, "thread_name")
            self._into.skip(Skip.META)
        elif kind:
            self._into.skip(Skip.UNSUPPORTED)
        else:
            self._into.bad()

    def _note(self, meta: Json) -> None:
        """What is said of the session; a fork repeats what its origin said of itself."""
        id, before = text_of(meta, "id"), text_of(meta, "forked_from_id")
        if not self.said:
            self.origin = before or id or self.origin
        if self.id is not None:
            return
        git, source = meta.get("git"), meta.get("source")
        self.id, self.cwd, self.continues = id, text_of(meta, "cwd"), before
        self.branch = text_of(git, "branch") if isinstance(git, dict) else None
        self.subagent = isinstance(source, dict) and "subagent" in source

    def _take(self, item: Json, time: object, at: int) -> None:
        kind, role, parts = text_of(item, "type"), text_of(item, "role"), item.get("content")
        if kind != "message":
            self._tool(item, kind or "", time, at)
        elif not isinstance(parts, list) or role not in ("system", "developer", "user", "assistant"):
            self._into.bad()
        elif role in ("system", "developer"):
            self._into.skip(Skip.SYSTEM)
        else:
            texts = [text_of(part, "text") if isinstance(part, dict) else None for part in parts]
            self.said = derive(self.said, role, *(text or "" for text in texts))
            self.tools = 0
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
            self.tools += 1
            words = said if isinstance(said, str) else orjson.dumps(said).decode()
            self._turn("tool", words, time, at, f"tool {self.tools}")
        else:
            self._into.skip(reason)

    def _turn(self, role: str, words: str, time: object, at: int, part: str = "") -> None:
        if self.subagent or any(first <= at < last for first, last in self._gone):
            self._into.skip(Skip.SUBAGENT if self.subagent else Skip.OTHER_BRANCH)
            return
        self.id = self.id or f"codex-{derive(role, words)[:12]}"
        session = self._into.session(self.id)
        session.cwd, session.branch, session.continues = self.cwd, self.branch, self.continues
        origin = self.origin or self.id
        self._into.turn(session, role, words, seq=at, id=self.said, time=time, part=part, origin=origin)
