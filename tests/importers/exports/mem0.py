"""Mem0: memories of two users, with and without a run, wrapped as ``get_all`` gives them."""

from __future__ import annotations

import json

from tests.importers.exports import Export


def export(plain: int = 2) -> Export:
    memories: list[object] = [
        {
            "id": f"m{n}",
            "memory": f"prefers tea number {n}",
            "hash": "0",
            "metadata": {"k": 1},
            "created_at": f"2026-03-0{n + 1}T08:00:00-07:00",
            "updated_at": None,
            "user_id": "alice",
            "run_id": "r1" if n == 0 else None,
        }
        for n in range(plain)
    ]
    memories += [
        {"id": "b", "memory": "likes kilns", "user_id": "bob", "agent_id": "coach", "role": "assistant"},
        {"id": "d", "memory": "has no user"},
        {"id": "e", "memory": ""},
        {"id": "f", "memory": "says a robot", "role": "robot"},
        {"id": "g"},
        {"id": "h", "memory": "a rule", "role": "system"},
    ]
    held = {"count": len(memories), "next": None, "results": memories, "relations": [{"source": "a"}]}
    made = Export("mem0", lambda path: path.write_text(json.dumps(held, indent=2)))
    made.turns = [
        ("r1@alice", "user", "prefers tea number 0"),
        *(("mem0@alice", "user", f"prefers tea number {n}") for n in range(1, plain)),
        ("mem0@bob/coach", "assistant", "likes kilns"),
        ("mem0", "user", "has no user"),
    ]
    made.skipped.update(system=1)
    made.malformed = 3
    return made
