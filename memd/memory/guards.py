"""Guards: what two texts may not differ in and be duplicates all the same, however near they are.

Numbers with their units, versions, paths, identifiers, what is quoted, negation, opposites, and the order of the words.
What is all that tells two texts apart that are almost the same, whichever it is, is seen in ``differences``.

A guard that is wrong costs a line that somebody merges; where one is missing the new fact is lost. So they are strict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memd.memory.differences import reordered
from memd.memory.opposites import AXES, PREFIXES, UNIT_OF, sides
from memd.memory.unspaced import denials, spelled_out
from memd.memory.wording import bare, denies, heavy, is_term, words

_SIDES = sides(AXES)
_ENOUGH_LETTERS = 3  # of a unit that counts wherever it stands

_CHUNK = re.compile(r"\S+")
_EDGES = ".,;:!?()[]{}<>\"'`´‘’“”„«»…*"
_THOUSANDS = re.compile(r"(?<=\d)[,_'’](?=\d{3}(?!\d))")
_MEASURE = re.compile(r"([$€£]?)([+-]?\d[\d.,]*)([^\W\d_]+|%)?")
_QUOTED = re.compile(
    r"(?<!\w)(?:\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|[「『]([^」』\n]+)[」』])(?!\w)"
)
# camelCase, snake_case, --flag, $NAME, a path
_CASED = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]|\w_\w|^_\w|^--?\w|^[$@#]\w|[/\\]\w|\w[/\\]")
_SPELLED = re.compile(r"\w\.\w|\w-\w|\w[+#]+$|^[A-ZÀ-Þ]{2,}s?$")  # node.js, auth-service, C++, AWS


def apart(one: str, other: str) -> bool:
    """True where the texts differ in something that makes them two statements."""
    return (
        _measures(one) != _measures(other)
        or _polarity(one) != _polarity(other)
        or not (_named(one, other) and _named(other, one))
        or reordered(one, other)
        or _opposed(words(one), words(other))
    )


def says_more(new: str, old: str) -> bool:
    """True where the new text has every word of the old one, and others that matter."""
    return set(words(new)) > set(words(old)) and set(heavy(new)) > set(heavy(old))


@lru_cache(maxsize=512)
def _measures(text: str) -> Sequence[tuple[str, str]]:
    """Everything with a digit in it, in order, and what it is counted in; units that are named without one, too."""
    found: list[tuple[str, str]] = []
    for chunk in _CHUNK.findall(_THOUSANDS.sub("", spelled_out(text))):
        word = chunk.strip(_EDGES).casefold()
        if not any(map(str.isdigit, word)):
            unit = UNIT_OF.get(word, "")
            if found and not found[-1][1]:
                found[-1] = (found[-1][0], unit or " ")
            elif len(word) > _ENOUGH_LETTERS and unit:
                found.append(("", unit))
        elif (measure := _MEASURE.fullmatch(word)) and (not measure[3] or measure[3] in UNIT_OF):
            found.append((measure[2].rstrip(".,"), UNIT_OF.get(measure[3] or measure[1] or "", "")))
        else:
            found.append((word, " "))
    return [(number, unit.strip()) for number, unit in found]


@lru_cache(maxsize=512)
def _polarity(text: str) -> int:
    """How often the text denies."""
    return sum(map(denies, words(text))) + denials(spelled_out(text))


def _named(one: str, other: str) -> bool:
    """True where every identifier, path and quotation of the one text stands in the other."""
    folded = spelled_out(other).casefold()
    chunks = set(_chunks(other))
    small = {chunk.casefold() for chunk in chunks} | set(words(other))
    return all(
        (chunk in chunks) if _CASED.search(chunk) else (chunk.casefold() in small)
        for chunk in _chunks(one)
        if _CASED.search(chunk) or _SPELLED.search(chunk)
    ) and all(quotation.casefold() in folded for quotation in _quotations(spelled_out(one)))


@lru_cache(maxsize=512)
def _chunks(text: str) -> Sequence[str]:
    return [chunk.strip(_EDGES) for chunk in _CHUNK.findall(spelled_out(text))]


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
    ) or any(is_term(word, word + "s") and word + "s" in others for word in words)


def _taken(words: Sequence[str]) -> dict[int, list[int]]:
    """The sides that a text takes of each axis, in order, each run of one side once."""
    taken: dict[int, list[int]] = {}
    for word in map(bare, words):
        for axis, side in _SIDES.get(word, ()):
            run = taken.setdefault(axis, [])
            if not run or run[-1] != side:
                run.append(side)
    return taken
