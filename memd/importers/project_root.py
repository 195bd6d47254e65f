"""Which project the sessions of Gemini CLI are of: they seldom say it, but a file above them does."""

from __future__ import annotations

import os

from memd.importers.regular import open_regular

NAME = b".project_root"
_MOST_BYTES = 4096


def above(place: bytes) -> str | None:
    """The path in the file beside the folder ``chats`` that a session lies in; None where there is none."""
    folder = os.path.dirname(place)
    if os.path.basename(folder) != b"chats":
        return None
    try:
        descriptor, _ = open_regular(os.path.join(os.path.dirname(folder), NAME))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        path = file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    return path if path.startswith("/") and "\0" not in path and "\n" not in path else None
