"""What tells two texts apart that are almost the same: a word in the place of another, a short word more, their order.

It needs no list of words, so it holds for any language; a text that says the same in its own words shares no such thing
with the other. Scripts without spaces are compared by their characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memd.memory import unspaced
from memd.memory.wording import SENTENCE, SMALL, WORD, heavy, in_words_of, without, words

_FILLERS = frozenset(
    ("a", "an", "the", "der", "die", "das", "le", "la", "el", "now", "just", "currently", "also", "please")
)
_BEING = frozenset(("is", "are", "was", "were", "be", "been", "being"))
_ENOUGH = 3  # words that carry a statement: of fewer, all words are compared
_SHORT = 4  # letters that a word of denial has, in a language of which no word is known
# small words, and yet they are the statement
_SWAPPED = (("to", "from"), ("my", "your"), ("mein", "dein"), ("meine", "deine"))


def reordered(one: str, other: str) -> bool:
    """True where the texts have the same words, or names, in another order: who does it, and to whom; what is first."""
    if unspaced.holds_any(one) or unspaced.holds_any(other):
        return unspaced.reordered(one, other)
    names = _names(one) | _names(other)
    named = [[word for word in words(text) if word in names] for text in (one, other)]
    moved = _moved(*named) or _moved(heavy(one), heavy(other)) or _moved(_said(one), _said(other))
    if _passive(one) != _passive(other):
        return not moved and len(heavy(one)) > 1 and not without(heavy(one), heavy(other))
    return moved


def _moved(first: Sequence[str], second: Sequence[str]) -> bool:
    """True where these are the same words in another order."""
    if len(first) != len(second):
        return False
    again = in_words_of(second, first)
    return list(first) != again and sorted(first) == sorted(again)


def _said(text: str) -> Sequence[str]:
    return [word for word in words(text) if word not in _FILLERS]


def _passive(text: str) -> bool:
    """True where it is told by whom something is done: there the one who does it comes last."""
    return "by" in words(text) and not _BEING.isdisjoint(words(text))


def alike(one: str, other: str) -> bool:
    """True where the texts share most of what they say, so that what they do not share is a difference."""
    if unspaced.holds_any(one) or unspaced.holds_any(other):
        return unspaced.alike(one, other)
    shorter, longer = sorted((set(heavy(one)), set(heavy(other))), key=len)
    if len(shorter) < _ENOUGH:
        shorter, longer = sorted((set(words(one)), set(words(other))), key=len)
    missing = len(without(shorter, longer))
    return missing < len(shorter) and (missing == 1 or missing * 3 <= len(shorter))


def exchanged(one: str, other: str) -> bool:
    """True where texts that are almost the same say it of something else, or deny it."""
    if unspaced.holds_any(one) or unspaced.holds_any(other):
        return unspaced.differ(one, other)
    first, second = heavy(one), heavy(other)
    return (
        bool(without(set(first), set(second)) and without(set(second), set(first)))
        or bool(_names(one) - set(words(other)) and _names(other) - set(words(one)))
        or _swapped(words(one), words(other))
        or _adds_a_denial(one, other)
        or _adds_a_denial(other, one)
    )


def _adds_a_denial(one: str, other: str) -> bool:
    """True where a short word is all that one text has more, in a language of which we know no word at all."""
    added = set(words(one)) - set(words(other))
    if len(added) != 1 or set(words(other)) - set(words(one)) or SMALL & set(words(other)):
        return False
    (word,) = added
    return len(word) <= _SHORT and not word.isascii()


def _swapped(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    left, right = set(one) - set(other), set(other) - set(one)
    return any((a in left and b in right) or (b in left and a in right) for a, b in _SWAPPED)


@lru_cache(maxsize=512)
def _names(text: str) -> frozenset[str]:
    """Words that begin with a capital though no sentence begins there; a single letter may be one, as of plan A."""
    starts = {match.end() for match in SENTENCE.finditer(text)}
    found = (match[0] for match in WORD.finditer(text) if match.start() not in starts)
    return frozenset(
        word.casefold()
        for word in found
        if word[0].isupper() and (word.casefold() not in SMALL or word == "A")
    )
