"""What is kept so far, and what it takes: each addition is priced by the very text it makes.

The rule: the tokens of the blocks never come to less than the tokens of the text they are joined to, so what fits here
fits there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from memd.recall import render
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.recall.render import Labels
from memd.text.tokens import Counter


class Draft:
    """The kept candidates, by session and turn."""

    def __init__(self, labels: Labels, counter: Counter) -> None:
        self.tokens = 0
        self._labels = labels
        self._counter = counter
        self._sessions: dict[str, list[StoredTurn]] = {}
        self._kept: dict[str, list[Candidate]] = {}

    def holds(self, turn: StoredTurn) -> bool:
        """Whether some of a turn is kept."""
        return turn.id in self._kept

    @property
    def kept(self) -> Mapping[str, Sequence[Candidate]]:
        """The kept runs of each turn, by its id."""
        return self._kept

    def cost(self, one: Candidate) -> int:
        """The tokens that this candidate would add."""
        turn, turns = one.turn, self._sessions.get(one.turn.session, [])
        now = self._kept.get(turn.id)
        if now:
            stamped = self._stamped(turns)[turn.id]
            return self._price(turn, [*now, one], stamped) - self._price(turn, now, stamped)
        before, after = self._stamped(turns), self._stamped(_with(turns, turn))
        changed = [other for other in turns if before[other.id] != after[other.id]]
        added = self._price(turn, [one], after[turn.id])
        return added + sum(self._change(other, after[other.id]) for other in changed)

    def add(self, one: Candidate) -> None:
        """Keep a candidate."""
        self.tokens += self.cost(one)
        if one.turn.id not in self._kept:
            self._sessions[one.turn.session] = _with(self._sessions.get(one.turn.session, []), one.turn)
        self._kept.setdefault(one.turn.id, []).append(one)

    def drop(self, turn: StoredTurn) -> None:
        """Keep nothing of a turn any more."""
        del self._kept[turn.id]
        rest = [other for other in self._sessions.pop(turn.session) if other.id != turn.id]
        if rest:
            self._sessions[turn.session] = rest

    def blocks(self) -> list[list[tuple[StoredTurn, str]]]:
        """Each kept turn with its block: the sessions oldest first, their turns in order."""
        ordered = sorted(self._sessions.values(), key=lambda turns: turns[0].order)
        return [list(self._blocks(turns)) for turns in ordered]

    def _blocks(self, turns: Sequence[StoredTurn]) -> Iterator[tuple[StoredTurn, str]]:
        stamped = self._stamped(turns)
        for turn in turns:
            yield turn, self._block(turn, self._kept[turn.id], stamped[turn.id])

    def _stamped(self, turns: Sequence[StoredTurn]) -> dict[str, bool]:
        shown = render.stamped(self._labels.stamp(turn) for turn in turns)
        return dict(zip((turn.id for turn in turns), shown, strict=True))

    def _change(self, turn: StoredTurn, stamped: bool) -> int:
        kept = self._kept[turn.id]
        return self._price(turn, kept, stamped) - self._price(turn, kept, not stamped)

    def _price(self, turn: StoredTurn, kept: Sequence[Candidate], stamped: bool) -> int:
        return self._counter.count(self._block(turn, kept, stamped) + render.BETWEEN_SESSIONS)

    def _block(self, turn: StoredTurn, kept: Sequence[Candidate], stamped: bool) -> str:
        return self._labels.label(turn, stamped=stamped) + render.body(turn, kept)


def _with(turns: Sequence[StoredTurn], turn: StoredTurn) -> list[StoredTurn]:
    at = bisect_left([other.order for other in turns], turn.order)
    return [*turns[:at], turn, *turns[at:]]
