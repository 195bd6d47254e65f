"""Addresses of servers as they may be shown: without the passwords in them."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)|(://[^/@\s:]*:)[^@\s]*@(?:[^/@\s]*@)*"
)


def scrubbed(text: str) -> str:
    """A text without the passwords of addresses in it."""
    return _SECRET.sub(lambda found: f"{found[1] or found[3]}***{'@' if found[3] else ''}", text)
