"""Plain lines: several sessions and users, roles by other names, parts, equal words, lines that are none."""

from __future__ import annotations

import json

from tests.importers.exports import Export


def export(plain: int = 2) -> Export:
    records: list[object] = [
        {"role": "human", "content": f"question {n}", "timestamp": 1_790_000_000 + n, "session_id": "s1"}
        for n in range(plain)
    ]
    records += [
        {"role": "ai", "content": "yes", "session_id": "s1"},
        {"role": "ai", "content": "yes", "session_id": "s1"},
        {"role": "user", "content": "of ann", "session_id": "s2", "user_id": "ann", "id": 5},
        {
            "role": "model",
            "content": [{"type": "text", "text": "one"}, {"type": "output_text", "text": "two"}],
        },
        {"role": "user", "content": [{"type": "image_url", "image_url": "x"}], "session_id": "s1"},
        {"role": "developer", "content": "be brief", "session_id": "s1"},
        {"role": "function", "content": "ran it", "session_id": "s1", "timestamp": "2026-01-01T00:00:00Z"},
        {"role": "user", "content": "", "session_id": "s1"},
        {"role": "user", "content": None},
        {"role": "robot", "content": "beep"},
        {"role": "user"},
        [1],
    ]
    lines = [json.dumps(record).encode() for record in records] + [b'{"role": "user", "content": "cut', b""]
    made = Export("jsonl", lambda path: path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines)))
    made.turns = [
        *(("s1", "user", f"question {n}") for n in range(plain)),
        ("s1", "assistant", "yes"),
        ("s1", "assistant", "yes"),
        ("s2@ann", "user", "of ann"),
        ("jsonl-", "assistant", "one\ntwo"),
    ]
    made.tools = [("s1", "tool", "ran it")]
    made.skipped.update(attachment=1, system=1, tool_output=1, empty=1)
    made.malformed = 5
    return made
