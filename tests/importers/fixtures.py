"""The fixture tree of Claude Code transcripts, and what should come of each file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memd.importers.claude_code import Transcript
from tests.importers.transcripts import feed

ROOT = Path(__file__).parent.parent / "fixtures" / "claude-code"
EXPECTED: dict[str, Any] = json.loads((ROOT / "expected.json").read_text("utf-8"))
SESSIONS: dict[str, Any] = {
    path: file for path, file in EXPECTED["files"].items() if file["kind"] == "session"
}


def whole_lines(path: str) -> list[bytes]:
    """The lines that count: a last one without a newline only where it is a whole record."""
    *lines, rest = (ROOT / path).read_bytes().split(b"\n")
    try:
        json.loads(rest)
    except ValueError:
        return lines
    return [*lines, rest]


def opened(path: str) -> Transcript:
    """A fresh transcript for the file."""
    return Transcript(Path(path).stem)


def read(path: str) -> Transcript:
    """A transcript that has read the whole file, with nothing taken yet."""
    transcript = opened(path)
    feed(transcript, whole_lines(path))
    return transcript
