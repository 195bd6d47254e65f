"""Gemini CLI: messages written again, a rewind, notices, thoughts, tools, an image, a checkpoint; and an old file."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.exports import Export

Json = dict[str, Any]
ID = "5b0c1d2e-0000-4000-8000-000000000001"


def message(id: str, kind: str, content: object, n: int = 0, **more: Any) -> Json:
    return {"id": id, "timestamp": f"2026-07-01T09:00:{n:02d}.000Z", "type": kind, "content": content} | more


def records(plain: int = 1) -> list[Json]:
    head = {"sessionId": ID, "projectHash": "abc", "startTime": "2026-07-01T09:00:00Z", "kind": "main"}
    made: list[Json] = [head]
    thoughts = [{"subject": "s", "description": "d"}]
    calls = [
        {"id": "t", "name": "shell", "args": {}, "result": [{"functionResponse": {}}], "status": "success"}
    ]
    for n in range(plain):
        made += [
            message(f"u{n}", "user", [{"text": f"question {n}"}], n),
            message(f"g{n}", "gemini", f"answer {n}, half", n, thoughts=thoughts),
            {"$set": {"lastUpdated": "2026-07-01T09:00:01Z"}},
            message(f"g{n}", "gemini", f"answer {n}, whole", n, thoughts=thoughts, toolCalls=calls),
        ]
    made += [
        message("i", "info", "Update available"),
        message("w", "user", "a wrong turn", 40),
        message("x", "gemini", "following it", 41),
        {"$rewindTo": "w"},
        message("c", "user", "<session_context>\nToday is Monday\n</session_context>", 42),
        message(
            "d",
            "user",
            [{"text": "see @a.txt --- a.txt --- long"}, {"inlineData": {"data": "x"}}],
            43,
            displayContent=[{"text": "see @a.txt"}],
        ),
        message("p", "user", [{"text": "look"}, {"inlineData": {"data": "x"}}], 44),
        message("q", "gemini", [{"text": "hm", "thought": True}, {"functionCall": {"name": "f"}}], 45),
        message("e", "gemini", "", 46),
        {"$set": {"summary": "Kilns", "messages": [message("k", "user", "from a checkpoint", 47)]}},
        message("n", "user", [{"brandNew": 1}], 48),
    ]
    return made


def export(plain: int = 1) -> Export:
    lines = [json.dumps(record) for record in records(plain)] + ['{"id": "cut", "type": "us', '{"odd": 1}']
    made = Export("gemini", lambda path: path.write_text("\n".join(lines)))
    for n in range(plain):
        made.turns += [(ID, "user", f"question {n}"), (ID, "assistant", f"answer {n}, whole")]
    made.turns += [(ID, "user", words) for words in ("see @a.txt", "look", "from a checkpoint")]
    made.skipped.update(
        thinking=plain + 1,
        tool_output=plain + 1,
        system=1,
        other_branch=2,
        meta=1,
        attachment=1,
        empty=1,
        unsupported=1,
    )
    made.malformed = 2
    made.titles = {ID: "Kilns"}
    return made


def old() -> Export:
    """A session of before: one object over many lines."""
    held = {
        "sessionId": ID,
        "projectHash": "abc",
        "startTime": "2025-09-01T09:00:00Z",
        "messages": [
            message("u", "user", "hello"),
            message("g", "gemini", "hi"),
            message("e", "error", "quota"),
        ],
    }
    made = Export("gemini", lambda path: path.write_text(json.dumps(held, indent=2)))
    made.turns = [(ID, "user", "hello"), (ID, "assistant", "hi")]
    made.skipped.update(system=1)
    return made
