"""Addresses of servers as they may be shown: without the passwords in them."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)|(://[^/@\s:]*:)[^@\s]*@(?:[^/@\s]*@)*"
)

_URL = re.compile(r"[a-z]+://(?:(?P<user>[^@/]*)@)?(?P<place>[^?]*)", re.IGNORECASE)
_ENCODED = re.compile(r"(?:[^%\s]|%[0-9a-f]{2})*", re.IGNORECASE)


def is_encoded(address: str) -> bool:
    """False for a URL of which a name or a password would be read as something else, and then told in an error.

    What is special in them is to be percent-encoded: @ as %40, / as %2F, % as %25, a space as %20.
    """
    found = _URL.match(address)
    return found is None or (
        _ENCODED.fullmatch(found["user"] or "") is not None and "@" not in found["place"]
    )


def scrubbed(text: str) -> str:
    """A text without the passwords of addresses in it."""
    return _SECRET.sub(lambda found: f"{found[1] or found[3]}***{'@' if found[3] else ''}", text)
