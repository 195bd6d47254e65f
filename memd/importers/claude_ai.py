"""Claude.ai's data export: a list of conversations, each with its messages in order.

The blocks of a message's content count before its flat text. Where messages name their parents, what is current is the
walk up from the newest one; a message that was edited, and the replies to it, were left behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memd.importers import timestamps, tools
from memd.importers.gathering import Gathering, Session
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of
from memd.importers.roles import role_of

Json = Mapping[str, object]

_ROOT = "00000000-0000-4000-8000-000000000000"
_BLOCKS = {
    "thinking": Skip.THINKING,
    "redacted_thinking": Skip.THINKING,
    "tool_use": Skip.TOOL_OUTPUT,
    "tool_result": Skip.TOOL_OUTPUT,
    "image": Skip.ATTACHMENT,
    "document": Skip.ATTACHMENT,
    "token_budget": Skip.META,
    "flag": Skip.META,
}


def fits(record: Json) -> bool:
    """True for a conversation."""
    return isinstance(record.get("chat_messages"), list)


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the conversations; how far the file is read, after each."""
    for raw in into.records(file):
        conversation = into.value(raw)
        if isinstance(conversation, dict) and fits(conversation) and text_of(conversation, "uuid"):
            _conversation(conversation, into)
        elif conversation is not None:
            into.bad()
        yield raw.end


def _conversation(record: Json, into: Gathering) -> None:
    found = record["chat_messages"]
    assert isinstance(found, list)
    messages = [one for one in found if isinstance(one, dict)]
    for _ in range(len(found) - len(messages)):
        into.bad()
    session = into.session(text_of(record, "uuid"))
    session.title = text_of(record, "name")
    current = _current(messages, text_of(record, "current_leaf_message_uuid"))
    for seq, message in enumerate(messages):
        role = role_of(message.get("sender"))
        if id(message) not in current:
            into.skip(Skip.OTHER_BRANCH)
        elif role in ("user", "assistant"):
            _turn(message, role, seq, record.get("created_at"), session, into)
        else:
            into.bad()


def _current(messages: Sequence[Json], leaf: str | None) -> set[int]:
    """Which messages are on the branch of the leaf; all where none names a parent."""
    if not any(text_of(message, "parent_message_uuid") for message in messages):
        return {id(message) for message in messages}
    places = {text_of(message, "uuid"): at for at, message in enumerate(messages)}
    at = places.get(leaf) if leaf else None
    if at is None:
        at = max(range(len(messages)), key=lambda n: (_time(messages[n]), n))
    walk: set[int] = set()
    while at >= 0 and id(messages[at]) not in walk:
        walk.add(id(messages[at]))
        parent = text_of(messages[at], "parent_message_uuid")
        # The parent of one whose parent is not in the export is the one before it.
        at = -1 if parent == _ROOT else places.get(parent, at - 1)
    return walk


def _time(message: Json) -> int:
    return timestamps.milliseconds(message.get("created_at")) or 0


def _turn(message: Json, role: str, seq: int, begun: object, session: Session, into: Gathering) -> None:
    uuid, time = text_of(message, "uuid"), message.get("created_at") or begun
    for name in ("attachments", "files"):
        files = message.get(name)
        into.skip(Skip.ATTACHMENT, len(files) if isinstance(files, list) else 0)
    words, spoken, silent = _content(message, into)
    for number, text in enumerate(spoken):
        into.turn(session, "tool", text, seq=seq, id=uuid, time=time, part=f"tool {number}")
    if words or not silent:
        into.turn(session, role, "\n\n".join(words), seq=seq, id=uuid, time=time)


def _content(message: Json, into: Gathering) -> tuple[list[str], list[str], bool]:
    """The words of a message, what tools said where that is wanted, and whether it holds something else alone."""
    blocks = message.get("content")
    if not isinstance(blocks, list) or not blocks:
        return [text_of(message, "text") or ""], [], False
    words: list[str] = []
    spoken: list[str] = []
    others = 0
    for block in blocks:
        kind = text_of(block, "type") if isinstance(block, dict) else None
        if kind == "text":
            words.append(text_of(block, "text") or "")
            continue
        others += 1
        reason = _BLOCKS.get(kind or "", Skip.UNSUPPORTED)
        if reason is Skip.TOOL_OUTPUT and into.wanted.tool_output:
            spoken.append(tools.words_of(block))
        else:
            into.skip(reason)
    said = [word for word in words if word.strip()]
    if not said and not others:
        said = [text_of(message, "text") or ""]
    return said, spoken, others > 0
