"""The seam to what is stored: a history answers what recall asks of one scope and time window.

The rule: no answer costs more because more is stored. The daemon's history asks its indexes, the one in memory looks
at every turn it was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memd.recall.context import StoredTurn


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a scope holds within the time window; ``size`` is the bytes of its texts.

    Of a large scope turns and bytes may be estimates, and ``exact`` is false.
    """

    turns: int
    sessions: int
    size: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """A turn that the index found, with what it ranks by.

    ``words`` and ``meaning`` (a cosine) say how near it came in each lane, None where that lane did not see it.
    """

    turn: StoredTurn
    score: float
    words: float | None = None
    meaning: float | None = None


class History(Protocol):
    """One scope's turns within one time window, and what of them bears on one question."""

    def extent(self) -> Extent:
        """How much there is."""
        ...

    def whole(self, most_turns: int, most_bytes: int) -> Sequence[StoredTurn] | None:
        """Every turn; None where there are more."""
        ...

    def best(self, limit: int) -> Sequence[Found]:
        """The turns that bear on the question, best first."""
        ...

    def about(self, text: str, limit: int) -> Sequence[Found]:
        """The turns that hold words of another text, best first."""
        ...

    def around(
        self, turns: Sequence[StoredTurn]
    ) -> Mapping[str, tuple[StoredTurn | None, StoredTurn | None]]:
        """The turn before and the turn after each of these in its session, by id."""
        ...

    def marked(self, phrases: Sequence[str], limit: int) -> Sequence[StoredTurn]:
        """User turns that hold one of these phrases of one or more words, newest first."""
        ...

    def spread(self, most: int) -> Sequence[StoredTurn]:
        """At most so many turns, evenly over time: exchanges from the beginnings of sessions, early and late."""
        ...

    def listed(self, most: int) -> Sequence[StoredTurn] | None:
        """Every turn of the scope, also outside the time window, without the texts; None where there are more."""
        ...

    def counts(self) -> tuple[int, int]:
        """How many turns lie in the time window and how many outside, exactly; what it costs grows with the scope."""
        ...
