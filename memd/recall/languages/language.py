"""What recall knows of a language: patterns for questions and for statements, as regular expressions.

All are tried on a plain sentence (see ``recall/patterns.py``), a question's without the words that open it. Patterns of
one tuple are alternatives; ``…`` in one means *and later on*, and such a one has no ``|`` outside parentheses. A new
language is a file and a line in ``known.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

Patterns = tuple[str, ...]
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """How questions are asked. ``opening`` is what may stand before one and says nothing."""

    opening: str
    overview: Patterns  # over everything: what we did, in what order, how it changed
    past: Patterns  # plainly of what was said or done, whatever other words it has
    advice: Patterns  # what to do, and tasks
    lookup: Patterns  # one fact
    happened: Patterns  # whether something ever was
    faint: str  # words of such a question that do not say what it is about


@dataclass(frozen=True, slots=True)
class Statements:
    """How people state what is to stand."""

    request: Patterns
    one_off: Patterns  # what looks like a request that stands and is none
    polite: Patterns  # a request in the form of a question
    condition: str  # "when I ask about X": to what a request applies, as the group ``topic``
    forbids: Patterns  # a request for something not to be done
    filler: str  # words of a request that do not say what is asked for
    preference: Patterns
    passing: Patterns  # what looks like a preference and is a remark
    claim: Patterns  # of the speaker's own doings
    denial: Patterns  # what makes a claim a denial
    clause: str  # what parts two clauses of a sentence
    asks: Patterns  # questions without a mark, also within a sentence
    supposed: Patterns  # no request and no preference: it is only supposed
    unreal: Patterns  # no claim: it is wished, planned or supposed


@dataclass(frozen=True, slots=True)
class Marks:
    """Words and phrases, one at least of which stands in every statement: what the index is asked for.

    In three groups: the telling ones, the frequent ones, the ones that say little. Each is asked for by itself, so that
    the frequent ones cannot crowd out the telling ones.
    """

    request: Groups
    preference: Groups


def phrases(listed: str) -> tuple[str, ...]:
    """Words and phrases out of a list with commas."""
    return tuple(" ".join(phrase.split()) for phrase in listed.split(","))


@dataclass(frozen=True, slots=True)
class Language:
    """One language."""

    name: str
    questions: Questions
    statements: Statements
    marks: Marks
