"""The event of a hook, as Claude Code writes it on standard input; nothing in it is taken on trust.

What is left out, or of another type, is empty; fields that are not known are passed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """The fields that memd reads."""

    session: str = ""
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    agent: str = ""


def read(raw: str) -> Event | None:
    """The event; None where the text is none."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    return Event(
        *(
            _text(found.get(key))
            for key in ("session_id", "transcript_path", "cwd", "source", "prompt", "agent_id")
        )
    )


def _text(value: object) -> str:
    """A text that every store takes."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
