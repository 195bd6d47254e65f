"""The event on standard input, as the text that goes to memd, which reads it.

The rule: one that is no JSON object at first sight, or longer than 1 MiB, is none.
"""

from __future__ import annotations

import os

MOST = 1 << 20  # bytes
FITS = 60_000  # bytes: memd takes 64 KiB in one text
PART = 8192  # characters of one field of a longer event

_CHUNK = 1 << 16


def read() -> str:
    """The event; nothing where there is none."""
    text = _all().decode("utf-8", "replace").strip()
    if text[:1] != "{":
        return ""
    return text if len(text.encode()) <= FITS else _cut(text)


def _all() -> bytes:
    """Standard input to its end, so that no writer meets a closed pipe; nothing of a terminal, or where too long."""
    data, chunk = b"", b""
    try:
        if os.isatty(0):
            return b""
        while chunk := os.read(0, _CHUNK):
            if len(data) <= MOST:
                data += chunk
    except OSError:  # it is closed
        pass
    return data if len(data) <= MOST else b""


def _cut(text: str) -> str:
    """The event with its beginning and end of each long text, and without lists; nothing where it is no object."""
    import json

    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    kept = {name: _ends(value) for name, value in fields.items() if not isinstance(value, dict | list)}
    return json.dumps(kept, ensure_ascii=False)


def _ends(value: object) -> object:
    if not isinstance(value, str) or len(value) <= PART:
        return value
    return f"{value[: PART // 2]}\n…\n{value[-PART // 2 :]}"
