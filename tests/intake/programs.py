"""The folders of other programs under a home, and files in them as those programs write them."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

from memd.sources.foreign import CODEX, GEMINI, OPENCODE, ForeignRoot
from tests.importers.exports import Export, codex, gemini, opencode
from tests.intake.home import Home

EXPORTS = {CODEX: codex.export, GEMINI: gemini.export, OPENCODE: opencode.export}
PLACES = {
    CODEX: "2026/06/01/rollout-2026-06-01T12-00-00-x.jsonl",
    GEMINI: "kiln/chats/session-2026-07-01T09-00-x.jsonl",
    OPENCODE: "opencode.db",
}


def watch(home: Home, program: str) -> Path:
    """Have the intake watch a program; the path of a file of its that is not there yet."""
    folder = home.projects.parent / program
    home.foreign.append(ForeignRoot(program, os.fsencode(folder)))
    path = folder / PLACES[program]
    path.parent.mkdir(parents=True)
    return path


def lying(home: Home, program: str, *size: int) -> tuple[Path, Export]:
    """A program whose export lies there already."""
    path, made = watch(home, program), EXPORTS[program](*size)
    made.write(path)
    return path, made


def append(path: Path, *records: object) -> None:
    """Write records at the end of a file, a line each."""
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(record).encode() + b"\n" for record in records))


def said(role: str, words: str, second: int = 0) -> dict[str, object]:
    """A message of a rollout."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {
        "timestamp": f"2026-06-01T12:30:{second:02d}.000Z",
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": words}]},
    }


class Live:
    """opencode at work: a connection that stays open, in WAL mode, so that what is new is not in the file itself."""

    def __init__(self, path: Path) -> None:
        self.store = opencode.Store(path)
        self.store.db.execute("PRAGMA journal_mode=WAL")
        self.store.db.commit()

    def say(self, id: str, session: str, words: str, role: str = "user") -> None:
        self.store.say(id, session, role, opencode.text(words))
        self.store.db.commit()

    def write(self, query: str, *values: object) -> None:
        self.store.db.execute(query, values)
        self.store.db.commit()

    def checkpoint(self) -> tuple[int, int, int]:
        """What SQLite says of emptying the WAL: 0 first where nobody was in the way."""
        found: tuple[int, int, int] = self.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return found

    def close(self) -> None:
        self.store.db.close()


def busy(path: Path) -> sqlite3.Connection:
    """Somebody who is in the middle of a write."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.1)
    connection.execute("BEGIN IMMEDIATE")
    return connection
