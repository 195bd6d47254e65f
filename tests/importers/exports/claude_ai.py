"""Claude.ai: content blocks, thoughts, tools, files, an edited message, an old conversation of flat texts."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.exports import Export

Json = dict[str, Any]
ROOT = "00000000-0000-4000-8000-000000000000"


def message(n: int, sender: str, content: list[Json] | None = None, text: str = "", **more: Any) -> Json:
    made = {
        "uuid": f"m{n}",
        "text": text,
        "sender": sender,
        "created_at": f"2026-05-01T10:00:{n:02d}.000000Z",
        "attachments": [],
        "files": [],
    }
    return made | ({} if content is None else {"content": content}) | more


def block(words: str) -> Json:
    return {"type": "text", "text": words, "start_timestamp": None, "citations": []}


def conversation(number: int, turns: int = 2) -> Json:
    messages = [
        message(n, ("human", "assistant")[n % 2], [block(f"words {number}/{n}")], uuid=f"c{number}m{n}")
        for n in range(turns)
    ]
    return {"uuid": f"c{number}", "name": f"Chat {number}", "chat_messages": messages}


def full() -> Json:
    tools = [
        {"type": "tool_use", "name": "search", "input": {"q": "kiln"}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "hot"}]},
    ]
    messages = [
        message(0, "human", [block("an old question")], "an old question", parent_message_uuid=ROOT),
        message(1, "assistant", [block("an old answer")], parent_message_uuid="m0"),
        message(2, "human", [block("a new question")], "other", parent_message_uuid=ROOT),
        message(
            3,
            "assistant",
            [
                {"type": "thinking", "thinking": "hm"},
                block("First."),
                *tools,
                block("Then."),
                {"type": "new"},
            ],
            "This block is not supported on your current device yet.",
            parent_message_uuid="m2",
        ),
        message(
            4,
            "human",
            [],
            "flat words",
            parent_message_uuid="m3",
            attachments=[{"file_name": "a.txt", "extracted_content": "secret"}],
            files=[{"file_name": "b.png"}],
        ),
        message(5, "assistant", [{"type": "thinking", "thinking": "hm"}], parent_message_uuid="m4"),
        message(6, "human", [block(" ")], parent_message_uuid="m5"),
        message(7, "robot", [block("who?")], parent_message_uuid="m6"),
        message(8, "assistant", [block("the end")], parent_message_uuid="m7"),
    ]
    return {"uuid": "c-full", "name": "Kiln", "created_at": "2026-05-01T10:00:00Z", "chat_messages": messages}


def export(plain: int = 2) -> Export:
    old = {
        "uuid": "c-old",
        "name": "",
        "chat_messages": [message(0, "human", text="hello"), message(1, "assistant", text="hi")],
    }
    records: list[object] = [full(), old, *(conversation(n) for n in range(plain)), {"uuid": "x"}, "text"]
    made = Export("claude-ai", lambda path: path.write_text(json.dumps(records, indent=1)))
    made.turns = [
        ("c-full", "user", "a new question"),
        ("c-full", "assistant", "First.\n\nThen."),
        ("c-full", "user", "flat words"),
        ("c-full", "assistant", "the end"),
        ("c-old", "user", "hello"),
        ("c-old", "assistant", "hi"),
        *(
            (f"c{n}", role, f"words {n}/{at}")
            for n in range(plain)
            for at, role in enumerate(("user", "assistant"))
        ),
    ]
    made.tools = [("c-full", "tool", 'search {"q":"kiln"}'), ("c-full", "tool", "hot")]
    made.skipped.update(other_branch=2, thinking=2, tool_output=2, attachment=2, empty=1, unsupported=1)
    made.malformed = 3
    made.titles = {"c-full": "Kiln"} | {f"c{n}": f"Chat {n}" for n in range(plain)}
    return made
