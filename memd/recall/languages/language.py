"""What recall knows of a language: patterns for questions and for statements, as regular expressions.

All are tried on a plain sentence (see ``recall/patterns.py``), a question's without the words that open it. Patterns of
one tuple are alternatives; ``…`` in one means *and later on*, and such a one has no ``|`` outside parentheses. A new
language is a file and a line in ``known.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

Patterns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """How questions are asked. ``opening`` is what may stand before one and says nothing."""

    opening: str
    overview: Patterns  # over everything: what we did, in what order, how it changed
    past: Patterns  # plainly of what was said or done, whatever other words it has
    advice: Patterns  # what to do, and tasks
    lookup: Patterns  # one fact
    happened: Patterns  # whether something ever was


@dataclass(frozen=True, slots=True)
class Statements:
    """How people state things. ``asks`` are questions without a mark, ``unreal`` is what is wished or supposed."""

    request: Patterns
    one_off: Patterns  # what looks like a request and is none that stands
    condition: str  # "when I ask about X": to what a request applies
    preference: Patterns
    passing: Patterns  # what looks like a preference and is a remark
    denial: Patterns
    claim: Patterns  # of the speaker's own doings
    asks: Patterns
    unreal: Patterns


@dataclass(frozen=True, slots=True)
class Marks:
    """Words and phrases, one at least of which stands in every statement: what the index is asked for.

    The telling ones are asked for apart from the frequent ones, so that these cannot crowd them out.
    """

    request: tuple[tuple[str, ...], ...]
    preference: tuple[tuple[str, ...], ...]


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
