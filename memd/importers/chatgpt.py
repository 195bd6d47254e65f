"""ChatGPT's data export: a list of conversations, each a tree of messages.

What is current is the walk up from ``current_node``; all else was left behind by an edit or a new reply. A message is
known by what its content is, who wrote it and to whom: words to a tool are no words to a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memd.importers import timestamps
from memd.importers.gathering import Gathering, Session
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of

Json = Mapping[str, object]

_WORDS = frozenset({"text", "multimodal_text"})
_CONTENT = {
    "thoughts": Skip.THINKING,
    "reasoning_recap": Skip.THINKING,
    "code": Skip.TOOL_OUTPUT,
    "execution_output": Skip.TOOL_OUTPUT,
    "computer_output": Skip.TOOL_OUTPUT,
    "system_error": Skip.TOOL_OUTPUT,
    "tether_browsing_code": Skip.TOOL_OUTPUT,
    "tether_browsing_display": Skip.TOOL_OUTPUT,
    "tether_quote": Skip.TOOL_OUTPUT,
    "sonic_webpage": Skip.TOOL_OUTPUT,
    "user_editable_context": Skip.META,
    "model_editable_context": Skip.META,
}


def fits(record: Json) -> bool:
    """True for a conversation."""
    return isinstance(record.get("mapping"), dict)


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the conversations; how far the file is read, after each."""
    for raw in into.records(file):
        conversation = into.value(raw)
        if isinstance(conversation, dict) and fits(conversation):
            _conversation(conversation, into)
        elif conversation is not None:
            into.bad()
        yield raw.end


def _conversation(record: Json, into: Gathering) -> None:
    nodes = record["mapping"]
    assert isinstance(nodes, dict)
    id = text_of(record, "conversation_id") or text_of(record, "id")
    if id is None:
        into.bad()
        return
    session = into.session(id)
    session.title = text_of(record, "title")
    current = _current(nodes, record.get("current_node"))
    into.skip(Skip.OTHER_BRANCH, sum(1 for name in nodes.keys() - current if _message(nodes[name])))
    for seq, name in enumerate(current):
        if message := _message(nodes[name]):
            _turn(message, name, seq, record.get("create_time"), session, into)
        elif _is_broken(nodes[name]):
            into.bad()


def _current(nodes: Mapping[str, object], leaf: object) -> dict[str, None]:
    """The names of the nodes from the root to the leaf; to the newest message where the record names no leaf."""
    if not isinstance(leaf, str) or leaf not in nodes:
        leaf = max(nodes, key=lambda name: _time(nodes[name]), default=None)
    walk: dict[str, None] = {}
    while isinstance(leaf, str) and leaf in nodes and leaf not in walk:
        walk[leaf] = None
        node = nodes[leaf]
        leaf = node.get("parent") if isinstance(node, dict) else None
    return dict.fromkeys(reversed(walk))


def _message(node: object) -> Json | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) and isinstance(message.get("content"), dict) else None


def _is_broken(node: object) -> bool:
    """True where a node is no node, or has a message that is none; a root has no message at all."""
    return not isinstance(node, dict) or node.get("message") is not None


def _time(node: object) -> int:
    message = _message(node)
    return (message and timestamps.milliseconds(message.get("create_time"))) or 0


def _turn(message: Json, name: str, seq: int, begun: object, session: Session, into: Gathering) -> None:
    content = message["content"]
    assert isinstance(content, dict)
    role = _author(message)
    reason = _reason(message, content, role)
    if reason is Skip.TOOL_OUTPUT and into.wanted.tool_output:
        role = "tool"
    elif reason is not None:
        into.skip(reason)
        return
    text, others = _text(content)
    others += _files(message)
    into.skip(Skip.ATTACHMENT, others)
    time = begun if message.get("create_time") is None else message.get("create_time")
    if text or not others:
        into.turn(session, role, text, seq=seq, id=text_of(message, "id") or name, time=time)


def _author(message: Json) -> str:
    author = message.get("author")
    return (text_of(author, "role") if isinstance(author, dict) else None) or ""


def _reason(message: Json, content: Json, role: str) -> Skip | None:
    """Why a message is no turn; None for words of the user or the assistant."""
    metadata = message.get("metadata")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True
    kind = text_of(content, "content_type") or ""
    if kind in _CONTENT:
        return _CONTENT[kind]
    if role == "system" or hidden:
        return Skip.SYSTEM
    if role == "tool" or message.get("recipient") not in (None, "all"):
        return Skip.TOOL_OUTPUT
    return None if kind in _WORDS and role in ("user", "assistant") else Skip.UNSUPPORTED


def _text(content: Json) -> tuple[str, int]:
    """The words of a content, and how many images and recordings it holds beside them."""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return text_of(content, "text") or text_of(content, "result") or "", 0
    said = [part if isinstance(part, str) else _spoken(part) for part in parts]
    return "\n".join(words for words in said if words), said.count(None)


def _spoken(part: object) -> str | None:
    return text_of(part, "text") if isinstance(part, dict) else None


def _files(message: Json) -> int:
    """How many files came with a message, but for images, which are among its parts."""
    metadata = message.get("metadata")
    files = metadata.get("attachments") if isinstance(metadata, dict) else None
    return sum(
        1
        for file in (files if isinstance(files, list) else ())
        if isinstance(file, dict) and not str(file.get("mime_type") or "").startswith("image/")
    )
