"""What users stated: requests that stand, preferences, and claims of what they did or never did.

A statement is a sentence of a user turn, found by fixed patterns. Code, tables, quotes, headings and questions state
nothing, nor does what stands within quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memd.recall.context import StoredTurn
from memd.recall.explain import Side
from memd.recall.history import History
from memd.recall.languages.known import LANGUAGES
from memd.recall.languages.language import Groups, Marks, Patterns, Statements
from memd.recall.patterns import Family, plain
from memd.text import words
from memd.text.blocks import Kind
from memd.text.sentences import units

# How many turns are read for each group of marks, the telling ones first.
READ = (150, 100, 40)
REMEMBERED = 2_048

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|`[^`]*`')
_QUESTION_MARK = re.compile(r"[?？؟][\"'”’»)\]*_`」』]*\Z")
_STATING = (Kind.PROSE, Kind.ITEM)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a user turn, from its first character to behind its last; ``part`` counts those of its turn.

    ``topic`` is what a request applies to, where it says so. ``side`` is of a claim.
    """

    turn: StoredTurn
    part: int
    start: int
    end: int
    topic: str = ""
    side: Side | None = None

    @property
    def text(self) -> str:
        """The sentence, word for word."""
        return self.turn.text[self.start : self.end]

    @property
    def whole(self) -> bool:
        """Whether the turn says nothing else."""
        return self.text == self.turn.text.strip()


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    plain: str
    asked: bool


def _family(patterns: Callable[[Statements], Patterns]) -> Family:
    return Family(pattern for language in LANGUAGES for pattern in patterns(language.statements))


def _marks(groups: Callable[[Marks], Groups]) -> Groups:
    """The marks of all languages, group by group."""
    of_languages = [groups(language.marks) for language in LANGUAGES]
    return tuple(
        tuple(mark for group in ranked for mark in group) for ranked in zip(*of_languages, strict=True)
    )


_REQUEST = _family(lambda known: known.request)
_ONE_OFF = _family(lambda known: known.one_off)
_POLITE = _family(lambda known: known.polite)
_FORBIDS = _family(lambda known: known.forbids)
_PREFERENCE = _family(lambda known: known.preference)
_PASSING = _family(lambda known: known.passing)
_CLAIM = _family(lambda known: known.claim)
_DENIAL = _family(lambda known: known.denial)
_ASKS = _family(lambda known: known.asks)
_SUPPOSED = _family(lambda known: known.supposed)
_UNREAL = _family(lambda known: known.unreal)
_REQUEST_MARKS = _marks(lambda known: known.request)
_PREFERENCE_MARKS = _marks(lambda known: known.preference)
_CONDITIONS = [re.compile(language.statements.condition) for language in LANGUAGES]
_FILLER = re.compile("|".join(language.statements.filler for language in LANGUAGES))
_CLAUSE = re.compile("|".join(language.statements.clause for language in LANGUAGES))


def requests(history: History) -> list[Statement]:
    """The standing requests of a history, those of the newest turns first."""
    return _found(_marked(history, _REQUEST_MARKS), _is_request, _condition)


def preferences(history: History) -> list[Statement]:
    """The stated preferences of a history, those of the newest turns first."""
    return _found(_marked(history, _PREFERENCE_MARKS), _is_preference)


def claims(turns: Iterable[StoredTurn], asked: Iterable[str]) -> list[Statement]:
    """What the user turns claim that has one of these stems: each affirms, or denies.

    The side is that of the clause that has the stem: "I used it because I never liked the other" affirms.
    """
    stems = set(asked)
    found = _found(
        turns, lambda sentence: not stems.isdisjoint(words.stems(sentence.plain)) and _is_claim(sentence)
    )
    return [_sided(statement, stems) for statement in found]


def asks_for(request: Statement) -> str:
    """What a request wants an answer to hold, without what it applies to; empty where it only forbids."""
    wanted = plain(request.text)
    if _FORBIDS.matches(wanted):
        return ""
    for condition in _CONDITIONS:
        wanted = condition.sub(" ", wanted)
    return " ".join(_FILLER.sub(" ", wanted).split())


def _marked(history: History, marks: Groups) -> list[StoredTurn]:
    """The user turns that hold one of the marks, each once."""
    turns: dict[str, StoredTurn] = {}
    for group, limit in zip(marks, READ, strict=True):
        turns.update((turn.id, turn) for turn in history.marked(group, limit))
    return list(turns.values())


def _has(marks: Groups, said: str) -> bool:
    return any(mark in said for group in marks for mark in group)


def _found(
    turns: Iterable[StoredTurn],
    fits: Callable[[_Sentence], bool],
    topic: Callable[[str], str] = lambda _: "",
) -> list[Statement]:
    found: list[Statement] = []
    for turn in turns:
        if turn.by_user:
            stated = (sentence for sentence in _sentences(turn.text) if fits(sentence))
            found += (
                Statement(turn, part, sentence.start, sentence.end, topic(sentence.plain))
                for part, sentence in enumerate(stated)
            )
    return found


@lru_cache(REMEMBERED)
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """The sentences of a text that can state something."""
    return tuple(_stating(text))


def _stating(text: str) -> Iterator[_Sentence]:
    for unit in units(text):
        if unit.kind not in _STATING:
            continue
        said = unit.of(text)
        start = text.index(said, unit.start) if said else unit.start
        if said and not said.startswith(("<", "{", "$ ")):
            spoken = plain(_QUOTED.sub('""', said))
            yield _Sentence(start, start + len(said), spoken, _QUESTION_MARK.search(spoken) is not None)


@lru_cache(4 * REMEMBERED)
def _is_request(sentence: _Sentence) -> bool:
    said = sentence.plain
    if not _has(_REQUEST_MARKS, said):
        return False
    if sentence.asked:
        return _POLITE.matches(said)
    return _REQUEST.matches(said) and not _ONE_OFF.matches(said) and not _SUPPOSED.matches(said)


@lru_cache(4 * REMEMBERED)
def _is_preference(sentence: _Sentence) -> bool:
    said = sentence.plain
    return (
        not sentence.asked
        and _has(_PREFERENCE_MARKS, said)
        and _PREFERENCE.matches(said)
        and not any(family.matches(said) for family in (_PASSING, _ASKS, _SUPPOSED))
        and not _is_request(sentence)
    )


def _is_claim(sentence: _Sentence) -> bool:
    said = sentence.plain
    return (
        not sentence.asked
        and _CLAIM.matches(said)
        and not any(family.matches(said) for family in (_ASKS, _UNREAL))
        and not _is_request(sentence)
    )


def _condition(said: str) -> str:
    for condition in _CONDITIONS:
        if match := condition.search(said):
            return match["topic"].strip()
    return ""


def _sided(claim: Statement, stems: set[str]) -> Statement:
    clauses = [
        clause for clause in _CLAUSE.split(plain(claim.text)) if not stems.isdisjoint(words.stems(clause))
    ]
    denies = any(_DENIAL.matches(clause) for clause in clauses)
    return replace(claim, side="denies" if denies else "affirms")
