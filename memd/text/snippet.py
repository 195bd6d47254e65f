"""A piece of a text with the hit in view."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

CHARS = 240


def snippet(text: str, words: Sequence[str], chars: int = CHARS) -> str:
    """About ``chars`` characters around the place where most of the words stand close together."""
    if len(text) <= chars:
        return text
    start = _start(text, words, chars)
    end = min(len(text), start + chars)
    start, end = _at_spaces(text, start, end)
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")


def _start(text: str, words: Sequence[str], chars: int) -> int:
    """Where the best window begins: the one with most different words, the earliest of those."""
    if not words:
        return 0
    # A stem stands at the beginning of the forms that matter: "connect" for "connection".
    pattern = re.compile("|".join(re.escape(word.lower()) for word in sorted(words, key=len, reverse=True)))
    # A few letters grow when they are made small; the window is then off by as many.
    small = text[:200_000].lower()
    found = [(match.start(), match[0]) for match in islice(pattern.finditer(small), 2_000)]
    best, start, left = 0, 0, 0
    for right, (at, _) in enumerate(found):
        while at - found[left][0] > chars - 40:
            left += 1
        different = len({word for _, word in found[left : right + 1]})
        if different > best:
            best, start = different, found[left][0]
    return max(0, start - 40)


def _at_spaces(text: str, start: int, end: int) -> tuple[int, int]:
    """The window cut at spaces where there are some near its ends."""
    if start and (space := text.find(" ", start, start + 24)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - 24, end)) >= 0:
        end = space
    return start, end
