"""The words of a text as PostgreSQL indexes them: each with its places, and the stems that its forms share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memd.text import words

BEGINNING = "0z"  # behind a stem: no word of a text is taken for one
LONGEST = 500  # characters of a word, as PostgreSQL allows 2,046 bytes
MOST_BYTES = 1_000_000  # of a text's words, as PostgreSQL allows one MiB
LAST_PLACE = 16_383
MOST_PLACES = 255


def vector(text: str) -> str:
    """A text's words and stems, as PostgreSQL reads a tsvector; of a vast text those that come first."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words.words(text), start=1):
        places.setdefault(word[:LONGEST], []).append(min(at, LAST_PLACE))
    for at, stem in enumerate(words.stems(text), start=1):
        places.setdefault(f"{stem[:LONGEST]}{BEGINNING}", []).append(min(at, LAST_PLACE))
    return " ".join(
        _within(f"'{word}':{','.join(map(str, at[:MOST_PLACES]))}" for word, at in places.items())
    )


def _within(lexemes: Iterable[str]) -> Iterable[str]:
    left = MOST_BYTES
    for lexeme in lexemes:
        left -= len(lexeme.encode())
        if left < 0:
            return
        yield lexeme


def asked(text: str) -> list[str]:
    """What a question asks the index for: the stems of the words that tell, or its words where none does."""
    stems = [f"{stem[:LONGEST]}{BEGINNING}" for stem in words.stems(text)]
    return list(dict.fromkeys(stems or [word[:LONGEST] for word in words.words(text)]))


def phrase(text: str) -> str:
    """A phrase as a tsquery: its words in a row; empty where it holds none."""
    return " <-> ".join(f"'{word[:LONGEST]}'" for word in words.words(text))


def any_of(terms: Sequence[str]) -> str:
    """A tsquery that one of the terms meets."""
    return " | ".join(f"'{term}'" for term in terms)


def all_of(terms: Sequence[str]) -> str:
    """A tsquery that all of the terms meet."""
    return " & ".join(f"'{term}'" for term in terms)
