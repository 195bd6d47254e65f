"""Patterns over sentences, matched in time that grows with the sentence alone.

A pattern is a regular expression; ``…`` in it means *and later on*. Its parts are sought one behind the other, each
at the first place where it stands, which no backtracking over ``.*`` could do in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LATER = "…"

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
_UNDERLINED = re.compile(r"_(?:(?<!\w_)_*|_*(?!\w))")  # a pattern that begins with a letter is found fast
_BULLET = re.compile(r"(?:>[>\s]*+)?(?:[-+•#]+|\d{1,9}[.)])\s+")


def plain(sentence: str) -> str:
    """A sentence as patterns read it: small letters, single spaces, straight apostrophes, no bullet, no emphasis."""
    bare = sentence.strip()
    bullet = _BULLET.match(bare)
    bare = bare[bullet.end() if bullet else 0 :].replace("*", "").lower()
    if "_" in bare:
        bare = _UNDERLINED.sub("", bare)
    if not bare.isascii():
        bare = bare.translate(_APOSTROPHES)
    return " ".join(bare.split())


class Family:
    """Patterns that say the same thing."""

    def __init__(self, patterns: Iterable[str]) -> None:
        every = [tuple(pattern.split(LATER)) for pattern in patterns]
        single = [f"(?:{parts[0]})" for parts in every if len(parts) == 1]
        self._single = re.compile("|".join(single)) if single else None
        self._several = [tuple(re.compile(part) for part in parts) for parts in every if len(parts) > 1]

    def matches(self, sentence: str) -> bool:
        """Whether one of the patterns stands in a plain sentence."""
        if self._single and self._single.search(sentence):
            return True
        return any(_in_order(parts, sentence) for parts in self._several)


def _in_order(parts: Iterable[re.Pattern[str]], sentence: str) -> bool:
    at = 0
    for part in parts:
        match = part.search(sentence, at)
        if match is None:
            return False
        at = match.end()
    return True
