"""Guards: what two texts may not differ in and be duplicates all the same, however near they are.

``apart`` holds for any two texts: numbers with their units, versions, paths, identifiers, what is quoted, negation,
opposites, and who does it to whom. ``exchanged`` is for texts whose letters are almost the same: there, another word in
the place of one, or the same words in another order, is all that tells two statements from each other.

A guard that is wrong costs a line that somebody merges; where one is missing the new fact is lost. So they are strict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from memd.memory.opposites import AXES, NEGATIONS, PREFIXES, UNITS, sides

_SIDES = sides(AXES)
_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in (unit, *words.split())}
_ENOUGH_LETTERS = 3  # of a unit that counts wherever it stands

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_EDGES = ".,;:!?()[]{}<>\"'`´‘’“”„«»…*"
_THOUSANDS = re.compile(r"(?<=\d)[,_'’](?=\d{3}(?!\d))")
_MEASURE = re.compile(r"([$€£]?)([+-]?\d[\d.,]*)([^\W\d_]+|%)?")
_QUOTED = re.compile(
    r"(?<!\w)(?:\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»)(?!\w)"
)
# camelCase, snake_case, --flag, $NAME, a path
_CASED = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]|\w_\w|^_\w|^--?\w|^[$@#]\w|[/\\]\w|\w[/\\]")
_SPELLED = re.compile(r"\w\.\w|\w-\w|\w[+#]+$|^[A-ZÀ-Þ]{2,}s?$")  # node.js, auth-service, C++, AWS
_SENTENCE = re.compile(r"(?:^|[.!?:]\s+|\n)\W*")

_SMALL_WORDS = """
    a an the this that these those it its is are was were be been being am do does did has have had having will would
    shall should can could to of in at by for from as and or but so if then than there here we i you he she they our my
    your their his her us them me also too very just now currently please which who each every any all some
    der die das den dem des ein eine einen einem einer und oder ist sind war wird werden hat haben auch für von zu im
    le la les un une des du de et ou est sont a ont pour dans au aux el los las unos unas y o es son ha han para en
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_ALIKE = 0.6  # a word and its inflection, or its misspelling
_MANY = 2_500  # pairs of words


def apart(one: str, other: str) -> bool:
    """True where the texts differ in something that makes them two statements."""
    return (
        _measures(one) != _measures(other)
        or _polarity(one) != _polarity(other)
        or not (_named(one, other) and _named(other, one))
        or _turned(one, other)
        or _opposed(_words(one), _words(other))
    )


def exchanged(one: str, other: str) -> bool:
    """True where texts of almost the same letters say it of something else: a word exchanged, or the order of words."""
    first, second = _heavy(one), _heavy(other)
    if sorted(first) == sorted(second):
        return first != second
    only_first, only_second = set(first) - set(second), set(second) - set(first)
    return (_is_new(only_first, only_second) and _is_new(only_second, only_first)) or (
        bool(_names(one) - set(second)) and bool(_names(other) - set(first))
    )


def says_more(new: str, old: str) -> bool:
    """True where the new text has every word of the old one, and others that matter."""
    return set(_words(new)) > set(_words(old)) and set(_heavy(new)) > set(_heavy(old))


def _is_new(words: set[str], others: set[str]) -> bool:
    """True where one of the words is no other form of one of the others; where they are many, that is not asked."""
    return len(words) * len(others) > _MANY or any(
        all(SequenceMatcher(None, word, other).ratio() < _ALIKE for other in others) for word in words
    )


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    return tuple(match[0].casefold().replace("’", "'") for match in _WORD.finditer(text))


def _heavy(text: str) -> list[str]:
    """The words that carry the statement, in order; ``apart`` looks at its numbers and negations."""
    return [
        word for word in _words(text) if word not in _SMALL and not _denies(word) and word not in _UNIT_OF
    ]


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


@lru_cache(maxsize=512)
def _measures(text: str) -> Sequence[tuple[str, str]]:
    """Everything with a digit in it, in order, and what it is counted in; units that are named without one, too."""
    found: list[tuple[str, str]] = []
    for chunk in _CHUNK.findall(_THOUSANDS.sub("", text)):
        word = chunk.strip(_EDGES).casefold()
        if not any(map(str.isdigit, word)):
            unit = _UNIT_OF.get(word, "")
            if found and not found[-1][1]:
                found[-1] = (found[-1][0], unit or " ")
            elif len(word) > _ENOUGH_LETTERS and unit:
                found.append(("", unit))
        elif (measure := _MEASURE.fullmatch(word)) and (not measure[3] or measure[3] in _UNIT_OF):
            found.append((measure[2].rstrip(".,"), _UNIT_OF.get(measure[3] or measure[1] or "", "")))
        else:
            found.append((word, " "))
    return [(number, unit.strip()) for number, unit in found]


@lru_cache(maxsize=512)
def _polarity(text: str) -> int:
    """How often the text denies."""
    return sum(map(_denies, _words(text)))


def _named(one: str, other: str) -> bool:
    """True where every identifier, path and quotation of the one text stands in the other."""
    folded = other.casefold()
    chunks = set(_chunks(other))
    small = {chunk.casefold() for chunk in chunks} | set(_words(other))
    return all(
        (chunk in chunks) if _CASED.search(chunk) else (chunk.casefold() in small)
        for chunk in _chunks(one)
        if _CASED.search(chunk) or _SPELLED.search(chunk)
    ) and all(quotation.casefold() in folded for quotation in _quotations(one))


@lru_cache(maxsize=512)
def _chunks(text: str) -> Sequence[str]:
    return [chunk.strip(_EDGES) for chunk in _CHUNK.findall(text)]


def _turned(one: str, other: str) -> bool:
    """True where the texts have the same names in another order: who does it, and to whom."""
    names = _names(one) | _names(other)
    first, second = ([word for word in _words(text) if word in names] for text in (one, other))
    return first != second and sorted(first) == sorted(second)


def _quotations(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield next(part for part in match.groups() if part is not None).strip()


def _opposed(one: Sequence[str], other: Sequence[str]) -> bool:
    """True where the texts take different sides of something, or one has the opposite of a word of the other."""
    first, second = _taken(one), _taken(other)
    if any(first[axis] != second[axis] for axis in first.keys() & second.keys()):
        return True
    left, right = set(one) - set(other), set(other) - set(one)
    return _turns(left, right) or _turns(right, left)


def _turns(words: set[str], others: set[str]) -> bool:
    return any(
        prefix + word in others for word in words if len(word) > _ENOUGH_LETTERS for prefix in PREFIXES
    )


def _taken(words: Sequence[str]) -> dict[int, list[int]]:
    """The sides that a text takes of each axis, in order, each run of one side once."""
    taken: dict[int, list[int]] = {}
    for word in words:
        for axis, side in _SIDES.get(word, ()):
            run = taken.setdefault(axis, [])
            if not run or run[-1] != side:
                run.append(side)
    return taken


def _names(text: str) -> set[str]:
    """Words that begin with a capital though no sentence begins there."""
    starts = {match.end() for match in _SENTENCE.finditer(text)}
    return {
        match[0].casefold()
        for match in _WORD.finditer(text)
        if match[0][0].isupper() and match.start() not in starts
    } - _SMALL
