"""How far statements bear on a question: by their own words, and by how near the index found the turn they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.recall import statements
from memd.recall.explain import Status
from memd.recall.history import Found, History
from memd.recall.question import FAINT
from memd.recall.relevance import Asked
from memd.recall.statements import Statement
from memd.text import words

FOUND = 150  # turns whose nearness to the question is asked for
OWN_WORDS = 0.6  # of a score; the rest is how near the turn came
NEAR = 0.3  # a turn so near in meaning bears on the question without a shared word
ON_THE_SAME = 0.7  # of the best claim's score: what is below speaks of something else


@dataclass(slots=True)
class Weighed:
    """A statement with its score, and what became of it."""

    statement: Statement
    score: float
    status: Status = "dropped"
    reason: str | None = None


class Scale:
    """Weighs statements against one question."""

    def __init__(self, query: str, history: History) -> None:
        self.asked = Asked.of(query)
        self._history = history
        self._found = {one.turn.id: one for one in history.best(FOUND)}
        self._best = max((one.score for one in self._found.values()), default=0.0) or 1.0

    def requests(self) -> list[Weighed]:
        """The standing requests, best first. One that applies to something else than what is asked comes last."""
        weighed = self._weighed(statements.requests(self._history))
        return sorted(weighed, key=lambda one: bool(one.statement.topic) and not self._bears(one.statement))

    def preferences(self) -> list[Weighed]:
        """The stated preferences, best first. One that does not bear on the question is dropped."""
        weighed = self._weighed(statements.preferences(self._history))
        for one in weighed:
            one.reason = None if self._bears(one.statement) else "no_match"
        return weighed

    def claims(self) -> list[Weighed]:
        """What the user claimed about it, best first. What bears on it far less than the best is dropped."""
        turns = [one.turn for one in self._found.values()]
        about = self.asked.without(FAINT)
        weighed = self._weighed(statements.claims(turns, about.weights), about)
        for one in weighed:
            one.reason = None if one.score >= weighed[0].score * ON_THE_SAME else "below_floor"
        return weighed

    def _weighed(self, found: Sequence[Statement], asked: Asked | None = None) -> list[Weighed]:
        """Best first; of equal ones the newest, then the later in its session, then the first of its turn."""
        weighed = [Weighed(statement, self._score(statement, asked or self.asked)) for statement in found]
        weighed.sort(key=lambda one: _newest_first(one.statement))
        weighed.sort(key=lambda one: -round(one.score, 9))
        seen: set[tuple[str, ...]] = set()
        for one in weighed:
            said = tuple(words.words(one.statement.text))
            one.reason = "duplicate" if said in seen else None
            seen.add(said)
        return weighed

    def _score(self, statement: Statement, asked: Asked) -> float:
        found = self._found.get(statement.turn.id)
        near = found.score / self._best if found else 0.0
        return OWN_WORDS * asked.share(statement.text) + (1 - OWN_WORDS) * near

    def _bears(self, statement: Statement) -> bool:
        found = self._found.get(statement.turn.id)
        return self.asked.share(statement.text) > 0 or _is_near(found)


def _is_near(found: Found | None) -> bool:
    return found is not None and found.meaning is not None and found.meaning >= NEAR


def _newest_first(statement: Statement) -> tuple[int, int, str, int]:
    turn = statement.turn
    return -turn.sort_ms, -turn.seq, turn.id, statement.part
