"""The words of a text as statements are compared by them: which carry it, and which are forms of one word."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from memd.memory.opposites import NEGATIONS, UNIT_OF
from memd.memory.unspaced import spelled_out

# vowel signs and other marks belong to their word, though no letters
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:['’][^\W_]+)*")
SENTENCE = re.compile(r"(?:^|[.!?:]\s+|\n)\W*")

_SMALL_WORDS = """
    a an the this that these those it its is are was were be been being am do does did has have had having will would
    shall should can could to of in at by for from as and or but so if then than there here we i you he she they our my
    your their his her us them me also too very just now currently please which who each every any all some
    der die das den dem des ein eine einen einem einer und oder ist sind war wird werden hat haben auch für von zu im
    le la les un une des du de et ou est sont a ont pour dans au aux el los las unos unas y o es son ha han para en
    with mit avec con
"""
SMALL = frozenset(_SMALL_WORDS.split())

_ENDINGS = ("'s", "s", "es", "ed", "d", "ing", "e", "n", "ly")
_KOREAN = re.compile(r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|에|에서|의|로|으로|도|와|과|마다)$")
_LATIN = re.compile(r"[a-zà-ɏ'’]+")
_DOUBLE = re.compile(r"([b-df-hj-np-tv-z])\1")
_VOWEL = re.compile(r"[aeiouyà-ɏ]")
_LEAST_STEM = 3
_LONGEST_TAIL = 3
_TERMS = frozenset(("imap", "ldap", "amqp", "coap", "redis", "irc", "sip", "stun"))
_MANY = 2_500  # pairs of words


@lru_cache(maxsize=512)
def words(text: str) -> tuple[str, ...]:
    """All words, in small letters."""
    return tuple(match[0].casefold().replace("’", "'") for match in WORD.finditer(spelled_out(text)))


@lru_cache(maxsize=512)
def heavy(text: str) -> tuple[str, ...]:
    """The words that carry the statement, in order; numbers, units and negations are looked at elsewhere."""
    return tuple(
        word for word in words(text) if word not in SMALL and not denies(word) and word not in UNIT_OF
    )


def denies(word: str) -> bool:
    """True of a negation."""
    return word in NEGATIONS or word.endswith("n't")


def bare(word: str) -> str:
    """The word without a Korean particle at its end."""
    return word if word.isascii() else _KOREAN.sub("", word)


@lru_cache(maxsize=4_096)
def stems(word: str) -> frozenset[str]:
    """The word, and what it may be a form of, roughly."""
    if not _LATIN.fullmatch(word):
        return frozenset((word, bare(word)))
    ended = (word.removesuffix(ending) for ending in _ENDINGS)
    return frozenset((word, *(_plain(left) for left in (word, *ended) if len(left) >= _LEAST_STEM)))


def same(one: str, other: str) -> bool:
    """True of two forms of one word, however its consonants are doubled."""
    if one == other:
        return True
    if one[0] != other[0] or is_term(one, other) or is_term(other, one):
        return False
    return not stems(one).isdisjoint(stems(other)) or _inflected(one, other)


def is_term(word: str, longer: str) -> bool:
    """True where an s at its end makes another term of the word, as of http; no vowel stands in most of those."""
    return longer == word + "s" and (word in _TERMS or (word.isascii() and not _VOWEL.search(word)))


def without(some: Collection[str], others: Collection[str]) -> list[str]:
    """Those of the words that are no form of any of the others; all, where that is too much to ask."""
    rest = [word for word in some if word not in others]
    candidates = set(others) - set(some)
    if len(rest) * len(candidates) > _MANY:
        return rest
    return [word for word in rest if not any(same(word, other) for other in candidates)]


def in_words_of(some: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words, each as the other text has it, where that has a form of it."""
    known, rest = set(others), sorted(set(others) - set(some))
    if len(rest) * len(some) > _MANY:
        return list(some)
    return [
        word if word in known else next((other for other in rest if same(word, other)), word) for word in some
    ]


def _plain(word: str) -> str:
    """The word with its consonants single, as one may write them, and with an i for a y at its end."""
    word = _DOUBLE.sub(r"\1", word)
    return word[:-1] + "i" if word.endswith("y") else word


def _inflected(one: str, other: str) -> bool:
    """True of words of another script than ours that begin alike and end in a few other letters."""
    if _LATIN.fullmatch(one) or _LATIN.fullmatch(other) or any("가" <= letter <= "힣" for letter in one):
        return False
    common = 0
    while common < min(len(one), len(other)) and one[common] == other[common]:
        common += 1
    tail = max(len(one), len(other)) - common
    return common >= _LEAST_STEM and tail <= min(_LONGEST_TAIL, common // 2)
