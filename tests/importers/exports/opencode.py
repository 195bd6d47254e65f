"""opencode: sessions with parts of every kind, a subagent's, a revert, rows that are none."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.importers.exports import Export

SCHEMA = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
  version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
  time_updated INTEGER, data TEXT);
CREATE INDEX message_session_idx ON message (session_id);
CREATE INDEX part_message_idx ON part (message_id);
CREATE INDEX part_session_idx ON part (session_id);
"""
PARTS: list[tuple[str, dict[str, Any]]] = [
    ("reasoning", {"text": "hm"}),
    ("tool", {"callID": "c", "tool": "bash", "state": {"status": "completed", "output": "listing"}}),
    ("file", {"mime": "image/png", "url": "data:x"}),
    ("step-start", {}),
    ("step-finish", {}),
    ("patch", {}),
    ("brand-new", {}),
]


class Store:
    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.count = 0

    def session(self, id: str, *, parent: str | None = None, revert: str | None = None) -> None:
        left = json.dumps({"messageID": revert}) if revert else None
        self.db.execute(
            "INSERT INTO session VALUES (?, 'p', ?, 's', '/home/dev/kiln', ?, '1', ?, 1, 1)",
            (id, parent, f"Title of {id}", left),
        )

    def say(self, id: str, session: str, role: str, *parts: tuple[str, dict[str, Any]], **more: Any) -> None:
        self.count += 1
        at = 1_790_000_000_000 + self.count
        data = json.dumps({"role": role, "time": {"created": at}} | more)
        self.db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (id, session, at, at, data))
        for n, (kind, facts) in enumerate(parts):
            part = json.dumps({"type": kind} | facts)
            self.db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"{id}-{n}", id, session, at, at, part)
            )

    def close(self) -> None:
        self.db.commit()
        self.db.close()


def text(words: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "text", {"text": words} | more


def _write(path: Path, plain: int) -> None:
    store = Store(path)
    for n in range(plain):
        store.session(f"ses_{n}")
        store.say(
            f"msg_{n}_a", f"ses_{n}", "user", text(f"question {n}"), text("read the file", synthetic=True)
        )
        store.say(f"msg_{n}_b", f"ses_{n}", "assistant", *PARTS, text("First."), text("Then."))
    store.session("ses_sub", parent="ses_0")
    store.say("msg_s", "ses_sub", "user", text("for a subagent"))
    store.session("ses_back", revert="msg_r3")
    store.say("msg_r1", "ses_back", "user", text("kept"))
    store.say("msg_r2", "ses_back", "assistant", text("a summary"), summary=True)
    store.say("msg_r3", "ses_back", "user", text("taken back"))
    store.say("msg_r4", "ses_back", "assistant", text("this too"))
    store.session("ses_bad")
    store.say("msg_x", "ses_bad", "robot", text("who?"))
    store.say("msg_y", "ses_bad", "user", text(" "))
    store.db.execute("INSERT INTO message VALUES ('msg_z', 'ses_bad', 1, 1, '{\"role\": ')")
    store.close()


def export(plain: int = 2) -> Export:
    made = Export("opencode", lambda path: _write(path, plain))
    for n in range(plain):
        made.turns += [(f"ses_{n}", "user", f"question {n}"), (f"ses_{n}", "assistant", "First.\n\nThen.")]
        made.tools += [(f"ses_{n}", "tool", "listing")]
        made.titles[f"ses_{n}"] = f"Title of ses_{n}"
    made.turns.append(("ses_back", "user", "kept"))
    made.titles["ses_back"] = "Title of ses_back"
    made.skipped.update(
        meta=plain * 4 + 1,
        thinking=plain,
        tool_output=plain,
        attachment=plain,
        unsupported=plain + 1,
        subagent=1,
        other_branch=2,
        empty=1,
    )
    made.malformed = 1
    return made
