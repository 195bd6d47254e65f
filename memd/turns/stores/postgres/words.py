"""The words of a text as PostgreSQL indexes and asks for them: each with its places, and the stems of the words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, repeat

from memd.turns.stores import words

MOST_BYTES = 1_000_000  # of a text's words, as PostgreSQL allows one MiB
LAST_PLACE = 16_383
MOST_PLACES = 255


def vector(text: str) -> str:
    """A text's words and stems, as PostgreSQL reads a tsvector; of a vast text those that come first."""
    places: dict[str, list[str]] = defaultdict(list)
    for word, at in zip(words.phrase(text), chain(_PLACES, repeat(_PLACES[-1])), strict=False):
        places[word].append(at)
    for word in list(places):
        if stem := words.stem(word):
            places[stem] += places[word]
    told = " ".join([f"'{word}':{','.join(at[:MOST_PLACES])}" for word, at in places.items()])
    return told if len(told) * 4 <= MOST_BYTES else " ".join(_within(told.split(" ")))


_PLACES = [str(at) for at in range(1, LAST_PLACE + 1)]


def _within(lexemes: Iterable[str]) -> Iterable[str]:
    left = MOST_BYTES
    for lexeme in lexemes:
        left -= len(lexeme.encode())
        if left < 0:
            return
        yield lexeme


def phrase(text: str) -> str:
    """A phrase as a tsquery: its words in a row; empty where it holds none."""
    return " <-> ".join(f"'{word}'" for word in words.phrase(text))


def any_of(terms: Sequence[str]) -> str:
    """A tsquery that one of the terms meets."""
    return " | ".join(f"'{term}'" for term in terms)


def all_of(terms: Sequence[str]) -> str:
    """A tsquery that all of the terms meet."""
    return " & ".join(f"'{term}'" for term in terms)
