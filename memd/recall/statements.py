"""What users stated: requests that stand, preferences, and claims of what they did or never did.

A statement is a sentence of a user turn, found by the patterns of its language. Code, tables, quotes, headings and
questions state nothing, nor does what stands within quotation marks, nor a sentence of over ``LONGEST`` characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memd.recall.context import StoredTurn
from memd.recall.explain import Side
from memd.recall.history import History
from memd.recall.languages.language import Groups
from memd.recall.patterns import plain
from memd.recall.speech import SPEECHES, Speech, together
from memd.text import words
from memd.text.blocks import Kind, blocks
from memd.text.sentences import parts

# How many turns are read for each group of marks, the telling ones first.
READ = (150, 100, 40)
LONGEST = 400
REMEMBERED = 1_024

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
    said: str
    asked: bool


def requests(history: History) -> list[Statement]:
    """The standing requests of a history."""
    marks = together(speech.request_marks for speech in SPEECHES)
    return [
        Statement(turn, part, one.start, one.end, topic=_topic(one.said))
        for turn in _marked(history, marks)
        for part, one in enumerate(_requests(turn.text))
    ]


def preferences(history: History) -> list[Statement]:
    """The stated preferences of a history."""
    marks = together(speech.preference_marks for speech in SPEECHES)
    return [
        Statement(turn, part, one.start, one.end)
        for turn in _marked(history, marks)
        for part, one in enumerate(_preferences(turn.text))
    ]


def marked_texts(history: History) -> list[str]:
    """The texts that ``requests`` and ``preferences`` read of a history."""
    marks = [
        together(speech.request_marks for speech in SPEECHES),
        together(speech.preference_marks for speech in SPEECHES),
    ]
    return list(dict.fromkeys(turn.text for each in marks for turn in _marked(history, each)))


def read(text: str) -> None:
    """Read a text for both, so that the next to ask need not."""
    _requests(text)
    _preferences(text)


def claims(turns: Iterable[StoredTurn], asked: Iterable[str]) -> list[Statement]:
    """What the user turns claim that has one of these stems: each affirms, or denies.

    The side is that of the clause that has the stem: "I used it because I never liked the other" affirms.
    """
    stems = frozenset(asked)
    return [
        Statement(turn, part, one.start, one.end, side=_side(one.said, stems))
        for turn in turns
        if turn.by_user
        for part, one in enumerate(_claims(turn.text, stems))
    ]


def asks_for(request: Statement) -> str:
    """What a request wants an answer to hold; empty where it only forbids."""
    said = plain(request.text)
    speech = next((one for one in SPEECHES if one.is_request(said, _asks(said))), None)
    return speech.wanted(said) if speech else ""


def _marked(history: History, marks: Groups) -> list[StoredTurn]:
    """The user turns that hold one of the marks, each once."""
    turns: dict[str, StoredTurn] = {}
    for group, limit in zip(marks, READ, strict=True):
        turns.update((turn.id, turn) for turn in history.marked(group, limit))
    return [turn for turn in turns.values() if turn.by_user]


@lru_cache(REMEMBERED)
def _requests(text: str) -> tuple[_Sentence, ...]:
    return tuple(_found(text, lambda speech: speech.request_marks, Speech.is_request))


@lru_cache(REMEMBERED)
def _preferences(text: str) -> tuple[_Sentence, ...]:
    return tuple(_found(text, lambda speech: speech.preference_marks, Speech.is_preference))


def _found(
    text: str, marks: Callable[[Speech], Groups], fits: Callable[[Speech, str, bool], bool]
) -> Iterator[_Sentence]:
    """The sentences that a language takes for one, of those that hold a mark of that language."""
    spoken = plain(text)
    present = [(speech, _present(marks(speech), spoken)) for speech in SPEECHES]
    for one in _sentences(text, [mark for _, held in present for mark in held]):
        if any(fits(speech, one.said, one.asked) for speech, held in present if _holds(one.said, held)):
            yield one


def _present(marks: Groups, spoken: str) -> list[str]:
    return [mark for group in marks for mark in group if mark in spoken]


def _holds(said: str, marks: Iterable[str]) -> bool:
    return any(mark in said for mark in marks)


def _claims(text: str, stems: frozenset[str]) -> Iterator[_Sentence]:
    for one in _sentences(text, stems):
        if (
            words.held(one.said, stems)
            and any(speech.is_claim(one.said, one.asked) for speech in SPEECHES)
            and not _ordered(one)
        ):
            yield one


def _ordered(one: _Sentence) -> bool:
    """Whether a sentence asks for something, in whatever language."""
    return any(speech.is_request(one.said, one.asked) for speech in SPEECHES)


def _side(said: str, stems: frozenset[str]) -> Side:
    clauses = [
        (speech, clause)
        for speech in SPEECHES
        for clause in speech.clauses(said)
        if words.held(clause, stems)
    ]
    return "denies" if any(speech.denies(clause) for speech, clause in clauses) else "affirms"


def _topic(said: str) -> str:
    return next(filter(None, (speech.topic(said) for speech in SPEECHES)), "")


def _sentences(text: str, hints: Collection[str]) -> Iterator[_Sentence]:
    """The sentences that can state something, of those blocks that hold one of the hints."""
    for block in blocks(text) if hints else ():
        if block.kind in _STATING and _holds(plain(text[block.start : block.end]), hints):
            for unit in parts(text, block):
                said = unit.of(text)
                if 0 < len(said) <= LONGEST and not said.startswith(("<", "{", "$ ")):
                    start = text.index(said, unit.start)
                    spoken = plain(_unquoted(said))
                    yield _Sentence(start, start + len(said), spoken, _asks(spoken))


def _unquoted(said: str) -> str:
    if said.isascii() and '"' not in said and "`" not in said:
        return said
    return _QUOTED.sub('""', said)


def _asks(said: str) -> bool:
    return _QUESTION_MARK.search(said) is not None
