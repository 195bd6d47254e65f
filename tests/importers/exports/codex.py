"""Codex: a rollout with notices, tools, reasoning, an image, a rollback, and a broken line; and a first one, bare."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.exports import Export

Json = dict[str, Any]
ID = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"


class Rollout:
    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def add(self, kind: str, **payload: Any) -> None:
        time = f"2026-06-01T12:00:{len(self.lines):02d}.000Z"
        self.lines.append(json.dumps({"timestamp": time, "type": kind, "payload": payload}).encode())

    def say(self, role: str, *words: str, **more: Any) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text} for text in words]
        self.add("response_item", type="message", role=role, content=content, **more)


def meta(**more: Any) -> Json:
    return {
        "id": ID,
        "timestamp": "2026-06-01T12:00:00.000Z",
        "cwd": "/home/dev/kiln",
        "originator": "codex_cli",
        "cli_version": "0.128.0",
        "source": "cli",
        "git": {"branch": "main"},
    } | more


def rollout(plain: int = 1) -> Rollout:
    made = Rollout()
    made.add("session_meta", **meta())
    made.say("developer", "<permissions instructions>be careful</permissions instructions>")
    made.say("user", "# AGENTS.md instructions for /home/dev/kiln\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>")
    made.say("user", "<environment_context>\n<cwd>/home/dev/kiln</cwd>\n</environment_context>")
    made.say("user", "a wrong turn")
    made.say("assistant", "following it")
    made.add("event_msg", type="thread_rolled_back", num_turns=1)
    ide = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nfix it"
    made.say("user", ide)
    made.lines.append(
        b'{"timestamp": "2026-06-01T12:01:00Z", "type": "response_item", "payload": {"type": "mess'
    )
    picture = {"type": "input_image", "image_url": "data:x"}
    made.add(
        "response_item",
        type="message",
        role="user",
        content=[picture, {"type": "input_text", "text": "see the picture"}],
    )
    made.add("compacted", message="summary")
    made.add("event_msg", type="thread_name_updated", thread_name="Kiln work")
    made.add("response_item", type="brand_new")
    made.add("brand_new")
    for n in range(plain):
        made.say("user", f"question {n}")
        made.add("event_msg", type="user_message", message=f"question {n}")
        made.add("turn_context", cwd="/home/dev/kiln", model="m")
        made.add("response_item", type="reasoning", summary=[], encrypted_content="x")
        made.add("response_item", type="function_call", name="shell", arguments='{"cmd":"ls"}', call_id="c")
        made.add("response_item", type="function_call_output", call_id="c", output=f"listing {n}")
        made.say("assistant", f"answer {n}", id=f"msg_{n}")
    return made


def export(plain: int = 1) -> Export:
    made = Export("codex", lambda path: path.write_bytes(b"\n".join(rollout(plain).lines) + b"\n"))
    made.turns += [(ID, "user", "fix it"), (ID, "user", "see the picture")]
    for n in range(plain):
        made.turns += [(ID, "user", f"question {n}"), (ID, "assistant", f"answer {n}")]
        made.tools += [(ID, "tool", '{"cmd":"ls"}'), (ID, "tool", f"listing {n}")]
    made.skipped.update(
        system=1,
        meta=1 + 2 + 2 * plain + 1 + 1 + 1,
        thinking=plain,
        tool_output=2 * plain,
        other_branch=2,
        attachment=1,
        unsupported=2,
    )
    made.malformed = 1
    made.titles = {ID: "Kiln work"}
    return made


def bare() -> Export:
    """A rollout of the first kind: items without an envelope."""
    records: list[Json] = [
        {"id": ID, "timestamp": "2025-05-01T12:00:00.000Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
    ]
    made = Export("codex", lambda path: path.write_text("\n".join(map(json.dumps, records))))
    made.turns = [(ID, "user", "hello"), (ID, "assistant", "hi")]
    made.tools = [(ID, "tool", "{}")]
    made.skipped.update(meta=2, thinking=1, tool_output=1)
    return made
