"""The words of a text, as two texts are compared by: small letters, a light stem, other scripts in pairs.

Vowel signs and other marks belong to the word they stand in; points that may be written or left out (Arabic, Hebrew) do
not count.

A stem is the word without an English ending, cut to its first letters: "allergy" and "allergic" meet, and so do
"migrate" and "migrations". Now and then two words meet that should not; where texts were found by better means before,
that does no harm.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from memd.text import cjk

STEM_LETTERS = 6
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
# Points and the tatweel, and what tells how a sign is drawn.
_LEFT_OUT = re.compile(
    "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\ufe00-\ufe0f]+"
)
# Thai, Lao, Tibetan, Burmese, Khmer: without spaces, their marks are all that parts a sentence.
_UNSPACED = (range(0x0E00, 0x10A0), range(0x1780, 0x1800))
# Thaana, Indian scripts from Devanagari on, Sinhala: their letters alone are pieces of other words.
_SIGNED = range(0x0780, 0x0E00)
_ASCII = {n: chr(n).lower() if chr(n).isalnum() else " " for n in range(128)}
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
    if text.isascii():  # most texts are, and no pattern cuts as fast
        return text.translate(_ASCII).split()
    return _word().findall(_small(cjk.segment(text)))


def sought(phrase: str) -> list[str]:
    """The words of a phrase as they stand in a row among those of a text that holds it."""
    return _word().findall(_small(cjk.sought(phrase)))


def unpointed(text: str) -> str:
    """The text without points that may be written or left out; as it is, at no cost, where it is all ASCII."""
    return text if text.isascii() else _LEFT_OUT.sub("", text)


def signed(text: str) -> list[tuple[str, str]]:
    """The words of scripts that write vowels as signs: each as it is compared, and as it is written."""
    if text.isascii():
        return []
    written = _word().findall(cjk.RUN.sub(" ", text).replace("_", " "))
    return [(_small(word), word) for word in written if any(ord(sign) in _SIGNED for sign in word)]


def _small(text: str) -> str:
    """The text as words are compared."""
    if text.isascii():
        return text.lower().replace("_", " ")
    return _LEFT_OUT.sub("", unicodedata.normalize("NFC", text.casefold())).replace("_", " ")


@cache
def _marks() -> frozenset[str]:
    every = (chr(code) for code in range(0x300, 0x1F000) if not any(code in script for script in _UNSPACED))
    return frozenset(one for one in every if unicodedata.category(one) in ("Mn", "Mc"))


@cache
def _word() -> re.Pattern[str]:
    """A word, in a text without underscores."""
    return re.compile(rf"[\w{''.join(sorted(_marks()))}]+")


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


def counted(text: str, wanted: Collection[str]) -> tuple[Counter[str], int]:
    """How often each of the wanted stems stands in a text, and how many words carry meaning in it."""
    every = words(text)
    length = len(every) - sum(map(SILENT.__contains__, every))
    if not held(text, wanted):
        return Counter(), length
    return Counter(found for word in every if word not in SILENT and (found := stem(word)) in wanted), length


def held(text: str, wanted: Iterable[str]) -> set[str]:
    """Those of the stems that ``stems`` finds in a text, without cutting all of it into words."""
    small = _small(cjk.segment(text))
    word, marks = (_ASCII_WORD, frozenset[str]()) if small.isascii() else (_word(), _marks())
    return {one for one in wanted if one in small and _stands_in(small, one, word, marks)}


def _stands_in(small: str, wanted: str, word: re.Pattern[str], marks: Collection[str]) -> bool:
    """Whether a word has this stem: it begins with it. No pattern looks for text as fast as ``find`` does."""
    at = small.find(wanted)
    while at >= 0:
        before = small[at - 1 : at]
        begins = not (before.isalnum() or before in marks)
        if begins and (met := word.match(small, at)) and met[0] not in SILENT and stem(met[0]) == wanted:
            return True
        at = small.find(wanted, at + len(wanted))
    return False
