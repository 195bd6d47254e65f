"""The words by which stores of turns index a text: each as it stands, and the stems that its forms share."""

from __future__ import annotations

from memd.text import words

BEGINNING = "0z"  # behind a stem: no word of a text is taken for one
ASKED = 40  # words of a question: each is looked up by itself
LONGEST = 500  # characters of a word, as no index holds longer ones


def stem(word: str) -> str | None:
    """What a word is indexed by beside itself; None for one that tells nothing."""
    return None if word in words.SILENT else f"{words.stem(word)[:LONGEST]}{BEGINNING}"


def asked(text: str) -> list[str]:
    """What a question asks the index for: the stems of its first words that tell, or its words where none does."""
    stems = [f"{one[:LONGEST]}{BEGINNING}" for one in words.stems(text)]
    return list(dict.fromkeys(stems or phrase(text)))[:ASKED]


def phrase(text: str) -> list[str]:
    """The words of a text in their order, as they are indexed."""
    return [word[:LONGEST] for word in words.words(text)]
