"""What a model may answer where structured output is asked for: JSON somewhere in a text, or that there is nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
_NOTHING = re.compile(
    r"[*_\"'(\s]*(?:there (?:is|are) |i (?:found|see|have) )?"
    r"(?:nothing|none|no (?:new )?(?:insights?|operations?|changes?|updates?|facts?|items?|observations?))\b"
    r"[^\n]{0,120}",
    re.IGNORECASE,
)


def values(text: str) -> Iterator[object]:
    """The JSON values that there may be: all of it, what is fenced in it, from its first brace to its last."""
    yield from _loaded(text)
    for fenced in _FENCED.findall(text):
        yield from _loaded(fenced)
    yield from _loaded(text[text.find("{") : text.rfind("}") + 1])


def is_nothing(text: str) -> bool:
    """True where it says in words that there is nothing, and no more than that."""
    return _NOTHING.fullmatch(text.strip()) is not None


def _loaded(text: str) -> Iterator[object]:
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        return
