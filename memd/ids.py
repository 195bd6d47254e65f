"""Ids derived from content: the same record always gets the same id."""

from __future__ import annotations

from hashlib import sha256


def derive(*parts: str) -> str:
    """32 hex digits of SHA-256 over the parts, each preceded by its length so that no two lists collide."""
    digest = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:32]


def content_key(text: str) -> bytes:
    """16 bytes that stand for a text: equal texts share one stored copy and one set of vectors."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
