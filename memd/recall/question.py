"""What kind of question it is: the route it takes, and which sections it asks for.

Each sentence is read on its own, and code and tables are passed over. The farthest-reaching kind decides: an overview
before a task, a task before a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memd.recall.languages.known import LANGUAGES
from memd.recall.patterns import Family, plain
from memd.text import words
from memd.text.blocks import Kind
from memd.text.sentences import units

READ_CHARS = 4_000


class Route(StrEnum):
    """A kind of question."""

    OVERVIEW = "overview"
    ADVICE = "advice"
    LOOKUP = "lookup"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read. ``happened``: it asks whether something ever was."""

    text: str
    route: Route
    happened: bool = False

    @property
    def wants_requests(self) -> bool:
        """Whether standing requests bear on the answer: on all but a plain fact."""
        return self.route is not Route.LOOKUP

    @property
    def wants_preferences(self) -> bool:
        """Whether preferences bear on the answer."""
        return self.route is Route.ADVICE

    @property
    def wants_conflicts(self) -> bool:
        """Whether statements that contradict each other bear on the answer."""
        return self.happened


_QUESTIONS = [language.questions for language in LANGUAGES]
_OPENING = re.compile("|".join(f"(?:{questions.opening})" for questions in _QUESTIONS))
_OVERVIEW = Family(pattern for questions in _QUESTIONS for pattern in questions.overview)
_PAST = Family(pattern for questions in _QUESTIONS for pattern in questions.past)
_ADVICE = Family(pattern for questions in _QUESTIONS for pattern in questions.advice)
_LOOKUP = Family(pattern for questions in _QUESTIONS for pattern in questions.lookup)
_HAPPENED = Family(pattern for questions in _QUESTIONS for pattern in questions.happened)

# The stems of the words by which a question asks whether something was, and not what.
FAINT = frozenset(words.stem(word) for questions in _QUESTIONS for word in questions.faint.split())

_OPENINGS = 6
_KINDS = (
    (_OVERVIEW, Route.OVERVIEW),
    (_PAST, Route.LOOKUP),
    (_ADVICE, Route.ADVICE),
    (_LOOKUP, Route.LOOKUP),
)
_FARTHEST_FIRST = (Route.OVERVIEW, Route.ADVICE, Route.LOOKUP, Route.OTHER)


def read(text: str) -> Question:
    """The question with its kind. A text without words is a question of the kind ``other``."""
    head = text[:READ_CHARS]
    sentences = [
        _without_opening(plain(unit.of(head)))
        for unit in units(head)
        if unit.kind not in (Kind.CODE, Kind.TABLE)
    ]
    routes = [_route(sentence) for sentence in sentences] or [Route.OTHER]
    happened = any(_HAPPENED.matches(sentence) for sentence in sentences)
    return Question(text, min(routes, key=_FARTHEST_FIRST.index), happened)


def _without_opening(sentence: str) -> str:
    for _ in range(_OPENINGS):
        opening = _OPENING.match(sentence)
        if opening is None or opening.end() == len(sentence):
            break
        sentence = sentence[opening.end() :]
    return sentence


def _route(sentence: str) -> Route:
    return next((route for family, route in _KINDS if family.matches(sentence)), Route.OTHER)
