"""What one record of a Claude Code transcript holds: the words of a turn, or reasons why it has none.

One table says what becomes of each record type, three readers do the types that can hold words. A record says nothing
here of its identity, session or place; that takes the file (``claude_code``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memd.importers.branches import ANCHOR, BOUNDARY, NOTICE, PROMPT
from memd.importers.lines import Record
from memd.importers.reasons import Skip
from memd.importers.wrappers import typed
from memd.text import fence


class Reading(NamedTuple):
    """The words of a record, joined; the reasons for what was left out; what the record is to the tree."""

    text: str | None
    skips: Sequence[Skip]
    kind: int = NOTICE
    role: str = "user"
    reply: str | None = None  # the message id that the records of one reply share


_META = Reading(None, (Skip.META,))
STATE = Reading(None, (Skip.META,))  # told apart by identity: state of the client, of a type in the table
_SYSTEM = Reading(None, (Skip.SYSTEM,))
_BOUNDARY = Reading(None, (Skip.SYSTEM,), BOUNDARY)
_ATTACHMENT = Reading(None, (Skip.ATTACHMENT,))
_MALFORMED = Reading(None, (Skip.UNSUPPORTED,))
UNKNOWN = Reading(None, (Skip.UNSUPPORTED,))  # a type that is in no table, told apart by identity

_STATES = """
summary ai-title custom-title agent-name tag last-prompt queue-operation file-history-snapshot file-history-delta
mode permission-mode agent-color agent-setting worktree-state relocated continued-in fork-context-ref bridge-session
pr-link frame-link cost-state atis-latch content-replacement attribution-snapshot speculation-accept task-summary
marble-origami-commit marble-origami-snapshot dev-mods turn_end started result api-request api-request-shape
api-request-blob tools-used
"""
_TABLE: dict[str, Reading] = {"progress": _SYSTEM, **dict.fromkeys(_STATES.split(), STATE)}

_IDS = ("sessionId", "leafUuid", "messageId")  # one of which every state of the client has
_NOT_TYPED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_FROM_PEOPLE = frozenset({"human", "channel"})
_FROM_AGENTS = frozenset({"peer", "coordinator"})
_USER_BLOCKS = {"tool_result": Skip.TOOL_OUTPUT, "image": Skip.ATTACHMENT, "document": Skip.ATTACHMENT}
_REPLY_BLOCKS = {
    "thinking": Skip.THINKING,
    "redacted_thinking": Skip.THINKING,
    "tool_use": Skip.TOOL_OUTPUT,
    "server_tool_use": Skip.TOOL_OUTPUT,
    "mcp_tool_use": Skip.TOOL_OUTPUT,
    "tool_result": Skip.TOOL_OUTPUT,
    "image": Skip.ATTACHMENT,
    "document": Skip.ATTACHMENT,
}


def read(record: Record) -> Reading:
    """What the record holds."""
    match record["type"]:
        case "user":
            return _user(record)
        case "assistant":
            return _assistant(record)
        case "attachment":
            return _attachment(record)
        case "system":
            return _BOUNDARY if record.get("subtype") == "compact_boundary" else _SYSTEM
        case str(other):
            return _TABLE.get(other, UNKNOWN)
    return _MALFORMED


def is_transcripts(record: Mapping[str, object]) -> bool:
    """True for a record of a Claude Code transcript, as far as it can be told from those of other programs."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind in ("user", "assistant", "system", "attachment"):
        return "sessionId" in record or "parentUuid" in record or isinstance(record.get("message"), dict)
    return kind in _TABLE and not record.keys().isdisjoint(_IDS)


def text_of(record: Mapping[str, object], key: str) -> str | None:
    """The text under a key; None where there is none, or nothing in it."""
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def is_own_run(record: Record) -> bool:
    """True of a prompt that memd itself gave a model."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return record["type"] == "user" and any((_block(one) or "").startswith(fence.OWN_RUN) for one in blocks)


def _user(record: Record) -> Reading:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str | list):
        return _MALFORMED
    skip = _not_typed(record)
    if skip is None:
        text, skips = _words(content)
        if text is not None:
            return Reading(text, skips, PROMPT)
    else:
        skips = (skip,)
    return Reading(None, skips, ANCHOR if _has_tool_result(content) else NOTICE)


def _not_typed(record: Record) -> Skip | None:
    """Why no person typed the record; None where one may have."""
    for flag in _NOT_TYPED:
        if record.get(flag) is True:
            return Skip.META
    origin = _origin(record)
    if origin is None or origin in _FROM_PEOPLE:
        return None
    return Skip.SUBAGENT if origin in _FROM_AGENTS else Skip.META


def _origin(record: Mapping[str, object]) -> str | None:
    origin = record.get("origin")
    return text_of(origin, "kind") if isinstance(origin, dict) else None


def _words(content: str | list[object]) -> tuple[str | None, Sequence[Skip]]:
    """The typed words of a user's content."""
    if isinstance(content, str):
        found = typed(content)
        return (None, (found,)) if isinstance(found, Skip) else (found, ())
    if not content:
        return None, (Skip.EMPTY,)
    texts: list[str] = []
    skips: list[Skip] = []
    for block in content:
        said = _block(block)
        if said is None:
            skips.append(_USER_BLOCKS.get(_type(block), Skip.UNSUPPORTED))
        elif isinstance(found := typed(said), Skip):
            skips.append(found)
        else:
            texts.append(found)
    return _joined(texts), skips


def _block(block: object) -> str | None:
    """The text of a text block; None for any other block."""
    if isinstance(block, dict) and block.get("type") == "text":
        text = block.get("text")
        return text if isinstance(text, str) else None
    return None


def _type(block: object) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _joined(texts: list[str]) -> str | None:
    return "\n\n".join(texts) if texts else None


def _has_tool_result(content: str | list[object]) -> bool:
    return not isinstance(content, str) and any(_type(block) == "tool_result" for block in content)


def _assistant(record: Record) -> Reading:
    message = record.get("message")
    if not isinstance(message, dict):
        return Reading(None, (Skip.UNSUPPORTED,), ANCHOR, "assistant")
    content = message.get("content")
    reply = text_of(message, "id")
    if not isinstance(content, str | list):
        return Reading(None, (Skip.UNSUPPORTED,), ANCHOR, "assistant", reply)
    if record.get("isApiErrorMessage") is True:
        return Reading(None, (Skip.SYSTEM,), ANCHOR, "assistant", reply)
    if record.get("isMeta") is True or message.get("model") == "<synthetic>":
        return Reading(None, (Skip.META,), ANCHOR, "assistant", reply)
    text, skips = _reply(content)
    return Reading(text, skips, ANCHOR, "assistant", reply)


def _reply(content: str | list[object]) -> tuple[str | None, Sequence[Skip]]:
    """What the assistant wrote, unchanged but for what it repeats of memd's: wrappers in it are its own words."""
    if isinstance(content, str):
        content = fence.unfenced(content)
        return (None, (Skip.EMPTY,)) if _says_nothing(content) else (content, ())
    if not content:
        return None, (Skip.EMPTY,)
    texts: list[str] = []
    skips: list[Skip] = []
    for block in content:
        said = _block(block)
        if said is None:
            kind = _type(block)
            other = Skip.TOOL_OUTPUT if kind.endswith("_tool_result") else Skip.UNSUPPORTED
            skips.append(_REPLY_BLOCKS.get(kind, other))
        elif _says_nothing(words := fence.unfenced(said)):
            skips.append(Skip.EMPTY)
        else:
            texts.append(words)
    return _joined(texts), skips


def _says_nothing(text: str) -> bool:
    return text.strip() in ("", "(no content)")


def _attachment(record: Record) -> Reading:
    """A prompt typed while Claude worked may exist only as an attachment; all others are context."""
    held = record.get("attachment")
    if not isinstance(held, dict) or held.get("type") != "queued_command":
        return _ATTACHMENT
    prompt = held.get("prompt")
    if not _is_persons(record, held):
        return _META
    if not isinstance(prompt, str | list):
        return _MALFORMED
    text, skips = _words(prompt)
    return Reading(text, skips, NOTICE if text is None else ANCHOR)


def _is_persons(record: Record, held: Mapping[str, object]) -> bool:
    if held.get("commandMode") != "prompt" or record.get("isMeta") is True or held.get("isMeta") is True:
        return False
    origin = held.get("origin")
    kind = text_of(origin, "kind") if isinstance(origin, dict) else origin
    return kind is None or kind == "human"
