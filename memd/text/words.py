"""The words of a text, as two texts are compared by: small letters, a light stem, other scripts in pairs.

A stem is the word without an English ending, cut to its first letters: "allergy" and "allergic" meet, and so do
"migrate" and "migrations". Now and then two words meet that should not; where texts were found by better means before,
that does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memd.text import cjk

STEM_LETTERS = 6
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?:ing|ings|edly|ed|ies|es|s|ly|y)$")
_LEAST = 3

_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being both but by
    can could did do does doing done for from had has have having he her here hers him his how i if
    in into is it its just let me more most my no nor not now of off on once only or other our out
    over own please said same say she should so some such tell than that the their them then there
    these they this those through to too under until up us very was we were what when where which
    while who whom whose why will with would you your
"""
STOP = frozenset(_STOP_WORDS.split())
_PARTED_WORDS = """
    s t d m re ve ll don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn
"""
SILENT = STOP.union(_PARTED_WORDS.split())  # by their apostrophe


def words(text: str) -> list[str]:
    """The words in order, in small letters; a run of a script without spaces as its pairs of characters."""
    return _WORD.findall(cjk.segment(text).casefold())


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The beginning that a word's forms share; numbers and words with digits stay whole."""
    if not word.isalpha() or not word.isascii():
        return word
    short = _ENDING.sub("", word)
    return (short if len(short) >= _LEAST else word)[:STEM_LETTERS]


def stems(text: str) -> list[str]:
    """The stems of the words that carry meaning, in order."""
    return [stem(word) for word in words(text) if word not in SILENT]


def held(text: str, wanted: Iterable[str]) -> set[str]:
    """Those of the stems that ``stems`` finds in a text, without cutting all of it into words."""
    small = cjk.segment(text).casefold()
    return {one for one in wanted if one in small and _stands_in(small, one)}


def _stands_in(small: str, wanted: str) -> bool:
    met = (found[0] for found in _beginning(wanted).finditer(small))
    return any(word not in SILENT and stem(word) == wanted for word in met)


@lru_cache(maxsize=1 << 10)
def _beginning(wanted: str) -> re.Pattern[str]:
    """Words that begin so, as every word begins with its stem."""
    return re.compile(rf"(?<![^\W_]){re.escape(wanted)}[^\W_]*")
