"""The event of a hook, as Claude Code writes it on standard input; nothing in it is taken on trust.

What is left out, or of another type, is empty. A text that was cut off within its last value, which is where the
prompt stands, is read as far as it goes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

LONG = 32 << 10  # bytes; a shorter event was cut by nobody
_CLOSED = '"}'


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
        found = _loads(raw)
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


def _loads(raw: str) -> object:
    try:
        return json.loads(raw)
    except ValueError:
        if len(raw) < LONG:
            raise
    return json.loads(_without_half_an_escape(raw) + _CLOSED)


def _without_half_an_escape(raw: str) -> str:
    """The text without an escape that was begun at its end."""
    at = raw.rfind("\\", max(0, len(raw) - 6))
    while at > 0 and raw[at - 1] == "\\":
        at -= 1
    return raw if at < 0 else raw[:at]


def _text(value: object) -> str:
    """A text that every store takes."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
