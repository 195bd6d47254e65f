"""Who said it, in the words that programs have for that."""

from __future__ import annotations

_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "gemini": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


def role_of(name: object) -> str | None:
    """user, assistant, system or tool; None for a word that means none of them."""
    return _ROLES.get(name) if isinstance(name, str) else None
