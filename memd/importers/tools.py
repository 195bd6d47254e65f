"""What passed between Claude and its tools in a record: the calls, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import orjson

from memd.importers.lines import Record
from memd.importers.records import text_of
from memd.text import fence


def said(record: Record) -> Iterator[str]:
    """The words of each tool call and result, in their order."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        words = fence.unfenced(words_of(block)) if isinstance(block, dict) else ""
        if words.strip():
            yield words


def words_of(block: Mapping[str, object]) -> str:
    """What a tool was asked, or what it answered; nothing for any other block."""
    kind = text_of(block, "type") or ""
    if kind.endswith("tool_use"):
        return f"{text_of(block, 'name') or ''} {_plain(block.get('input'))}".strip()
    return _answer(block.get("content")) if kind.endswith("tool_result") else ""


def _answer(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(text for part in parts if isinstance(part, dict) and (text := text_of(part, "text")))


def _plain(value: object) -> str:
    return orjson.dumps(value).decode() if value else ""
