"""A history in memory: every turn is looked at for every question. For tests, and for programs with few turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from memd.ranking import bm25, fusion
from memd.recall.context import RecallOptions, StoredTurn
from memd.recall.history import Extent, Found
from memd.text import words

Scorer = Callable[[str, Sequence[str]], Sequence[float]]


class InMemoryHistory:
    """The turns of one scope, asked one question.

    ``scorer`` gives for each text how near it comes to the question in meaning, from 0 to 1; without it words decide
    alone.
    """

    def __init__(
        self,
        turns: Sequence[StoredTurn],
        query: str,
        options: RecallOptions,
        scorer: Scorer | None = None,
    ) -> None:
        self._all = sorted(turns, key=lambda turn: (turn.sort_ms, turn.session, turn.seq, turn.id))
        self._turns = [turn for turn in self._all if options.holds(turn)]
        self._query = query
        self._scorer = scorer

    @cached_property
    def _stems(self) -> list[list[str]]:
        return [words.stems(turn.text) for turn in self._turns]

    def extent(self) -> Extent:
        size = sum(len(turn.text.encode("utf-8", "surrogatepass")) for turn in self._turns)
        return Extent(len(self._turns), len({turn.session for turn in self._turns}), size)

    def whole(self, most_turns: int, most_bytes: int) -> Sequence[StoredTurn] | None:
        fits = len(self._turns) <= most_turns and self.extent().size <= most_bytes
        return self._turns if fits else None

    def best(self, limit: int) -> Sequence[Found]:
        return self._found(self._query, self._scorer, limit)

    def about(self, text: str, limit: int) -> Sequence[Found]:
        return self._found(text, None, limit)

    def around(
        self, turns: Sequence[StoredTurn]
    ) -> Mapping[str, tuple[StoredTurn | None, StoredTurn | None]]:
        beside: dict[str, tuple[StoredTurn | None, StoredTurn | None]] = {}
        for session in self._sessions().values():
            for at, turn in enumerate(session):
                after = session[at + 1] if at + 1 < len(session) else None
                beside[turn.id] = (session[at - 1] if at else None, after)
        return {turn.id: beside[turn.id] for turn in turns if turn.id in beside}

    def marked(self, phrases: Sequence[str], limit: int) -> Sequence[StoredTurn]:
        wanted = [_sought(phrase) for phrase in phrases]
        said = ((turn, _spoken(turn.text)) for turn in reversed(self._turns) if turn.by_user)
        return [turn for turn, spoken in said if any(phrase in spoken for phrase in wanted)][:limit]

    def spread(self, most: int) -> Sequence[StoredTurn]:
        if len(self._turns) <= most:
            return self._turns
        step = (len(self._turns) - 1) / max(1, most - 1)
        return [self._turns[round(n * step)] for n in range(most)]

    def listed(self, most: int) -> Sequence[StoredTurn] | None:
        return [replace(turn, text="") for turn in self._all] if len(self._all) <= most else None

    def counts(self) -> tuple[int, int]:
        return len(self._turns), len(self._all) - len(self._turns)

    def _sessions(self) -> dict[str, list[StoredTurn]]:
        sessions: dict[str, list[StoredTurn]] = {}
        for turn in self._turns:
            sessions.setdefault(turn.session, []).append(turn)
        return sessions

    def _found(self, query: str, scorer: Scorer | None, limit: int) -> list[Found]:
        asked = dict.fromkeys(words.stems(query) or words.words(query), 1.0)
        met = bm25.scores(asked, self._stems)
        near = list(scorer(query, [turn.text for turn in self._turns])) if scorer and self._turns else None
        candidates = self._candidates(met, near)
        scores = fusion.surrounded(candidates, fusion.convex(candidates, fusion.scale(candidates)))
        by_row = {one.row: one for one in candidates}
        best = fusion.best(
            [fusion.Ranked("turn", row, score, by_row[row].at_ms) for row, score in scores.items()], limit
        )
        return [
            Found(self._turns[one.row], one.score, by_row[one.row].bm25, by_row[one.row].cosine)
            for one in best
        ]

    def _candidates(self, met: Sequence[float], near: Sequence[float] | None) -> list[fusion.Candidate]:
        """The turns that hold a word of the question, or all where their meaning is known."""
        sessions: dict[str, int] = {}
        last: dict[str, int] = {}
        found: list[fusion.Candidate] = []
        for row, turn in enumerate(self._turns):
            if met[row] > 0 or (near is not None and near[row] > 0):
                found.append(
                    fusion.Candidate(
                        row=row,
                        session=sessions.setdefault(turn.session, len(sessions)),
                        size=len(turn.text),
                        before=last.get(turn.session),
                        bm25=met[row] or None,
                        cosine=None if near is None else near[row],
                        at_ms=turn.sort_ms,
                        asks=turn.text.rstrip()[-1:] in ("?", "？"),
                    )
                )
            last[turn.session] = row
        return found


def _sought(phrase: str) -> str:
    """A phrase as it stands within the words of a text."""
    return f" {' '.join(words.sought(phrase))} "


def _spoken(text: str) -> str:
    """The words with a space around each."""
    return f" {' '.join(words.words(text))} "
