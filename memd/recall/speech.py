"""How one language states things: its patterns, ready to be asked about a plain sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memd.recall.languages.known import LANGUAGES
from memd.recall.languages.language import Groups, Language
from memd.recall.patterns import Family


class Speech:
    """The statements of one language. ``asked`` says that the sentence ends with a question mark."""

    def __init__(self, language: Language) -> None:
        known = language.statements
        self.request_marks = language.marks.request
        self.preference_marks = language.marks.preference
        self._request, self._one_off = Family(known.request), Family(known.one_off)
        self._polite, self._forbids = Family(known.polite), Family(known.forbids)
        self._preference, self._passing = Family(known.preference), Family(known.passing)
        self._claim, self._denial = Family(known.claim), Family(known.denial)
        self._asks, self._supposed, self._unreal = map(Family, (known.asks, known.supposed, known.unreal))
        self._condition = re.compile(known.condition)
        self._filler, self._clause = re.compile(known.filler), re.compile(known.clause)

    def is_request(self, said: str, asked: bool) -> bool:
        """Whether it asks for something that is to hold from then on."""
        if asked:
            return self._polite.matches(said)
        return self._request.matches(said) and not self._any(said, self._one_off, self._supposed)

    def is_preference(self, said: str, asked: bool) -> bool:
        """Whether it says what the speaker likes better, or does as a habit."""
        return (
            not asked
            and self._preference.matches(said)
            and not self._any(said, self._passing, self._asks, self._supposed)
            and not self.is_request(said, asked)
        )

    def is_claim(self, said: str, asked: bool) -> bool:
        """Whether it tells what the speaker did, or does, or never did."""
        return not asked and self._claim.matches(said) and not self._any(said, self._asks, self._unreal)

    def denies(self, said: str) -> bool:
        """Whether a claim says that something is not so."""
        return self._denial.matches(said)

    def clauses(self, said: str) -> list[str]:
        """The clauses of a sentence."""
        return self._clause.split(said)

    def topic(self, said: str) -> str:
        """What a request applies to ("when I ask about X"); empty where it says nothing of it."""
        match = self._condition.search(said)
        return match["topic"].strip() if match else ""

    def wanted(self, said: str) -> str:
        """What a request wants an answer to hold, without what it applies to; empty where it only forbids."""
        if self._forbids.matches(said):
            return ""
        return " ".join(self._filler.sub(" ", self._condition.sub(" ", said)).split())

    @staticmethod
    def _any(said: str, *families: Family) -> bool:
        return any(family.matches(said) for family in families)


SPEECHES = tuple(map(Speech, LANGUAGES))


def together(marks: Iterable[Groups]) -> Groups:
    """The marks of several languages, group by group."""
    return tuple(tuple(mark for group in ranked for mark in group) for ranked in zip(*marks, strict=True))
