"""The one notice of a session: it starts, and no memd is there."""

from __future__ import annotations

import json

from memctl.exits import Failure
from memctl.output import document
from memd.wire.visible import visible


def notice(said: str, failure: Failure) -> str:
    """What a hook prints; nothing where the session was there before (resumed, cleared, compacted, forked)."""
    try:
        event = json.loads(said)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(event, dict) or event.get("source") != "startup":
        return ""
    return document({"systemMessage": f"This session has no memory: {visible(failure.message)}"})
