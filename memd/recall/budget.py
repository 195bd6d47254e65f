"""What is kept so far, and what it takes: each addition is priced by the very text it makes.

The rule: the tokens of the blocks never come to less than those of the text they are joined to, so what fits here
fits there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from memd.recall import render
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.recall.render import Block, Labels
from memd.text.tokens import Counter


@dataclass(slots=True)
class _Kept:
    """A kept turn: its runs, its stamp, whether that is shown, and what all of it takes."""

    turn: StoredTurn
    kept: list[Candidate]
    stamp: str
    stamped: bool
    tokens: int


class Draft:
    """The kept candidates, by session and turn. ``tokens`` is what they take together."""

    def __init__(self, labels: Labels, counter: Counter) -> None:
        self.tokens = 0
        self.labels = labels
        self._counter = counter
        self._blocks: dict[str, _Kept] = {}
        self._sessions: dict[str, list[_Kept]] = {}

    def holds(self, turn: StoredTurn) -> bool:
        """Whether some of a turn is kept."""
        return turn.id in self._blocks

    def taken(self, turn: StoredTurn) -> int:
        """The tokens that a kept turn takes."""
        return self._blocks[turn.id].tokens

    def cost(self, one: Candidate) -> int:
        """The tokens that this candidate would add."""
        known = self._blocks.get(one.turn.id)
        if known is not None:
            return self._price(one.turn, [*known.kept, one], known.stamped) - known.tokens
        block, following = self._placed(one)
        return block.tokens + (self._unstamped(following) - following.tokens if following else 0)

    def add(self, one: Candidate) -> None:
        """Keep a candidate."""
        self.tokens += self.cost(one)
        known = self._blocks.get(one.turn.id)
        if known is not None:
            known.kept.append(one)
            known.tokens = self._price(one.turn, known.kept, known.stamped)
            return
        block, following = self._placed(one)
        if following:
            following.stamped, following.tokens = False, self._unstamped(following)
        session = self._sessions.setdefault(one.turn.session, [])
        session.insert(_place(session, one.turn), block)
        self._blocks[one.turn.id] = block

    def drop(self, turn: StoredTurn) -> None:
        """Keep nothing of a turn any more; what its session shows then is priced anew."""
        rest = [block for block in self._sessions.pop(turn.session) if block.turn.id != turn.id]
        for block in (*rest, self._blocks[turn.id]):
            self.tokens -= self._blocks.pop(block.turn.id).tokens
        for one in [one for block in rest for one in block.kept]:
            self.add(one)

    def blocks(self) -> list[list[Block]]:
        """Each kept turn with its block: the sessions oldest first, their turns in order."""
        ordered = sorted(self._sessions.values(), key=lambda session: session[0].turn.order)
        return [[self._block(one.turn, one.kept, one.stamped) for one in session] for session in ordered]

    def _placed(self, one: Candidate) -> tuple[_Kept, _Kept | None]:
        """The block of a turn that is not kept yet, and the one after it where that need not show its stamp then."""
        session = self._sessions.get(one.turn.session, [])
        at = _place(session, one.turn)
        stamp = self.labels.stamp(one.turn)
        shown = next((block.stamp for block in reversed(session[:at]) if block.stamp), "")
        stamped = bool(stamp) and stamp != shown
        following = next((block for block in session[at:] if block.stamp), None)
        same = following if stamped and following and following.stamped and following.stamp == stamp else None
        return _Kept(one.turn, [one], stamp, stamped, self._price(one.turn, [one], stamped)), same

    def _unstamped(self, block: _Kept) -> int:
        return self._price(block.turn, block.kept, False)

    def _price(self, turn: StoredTurn, kept: Sequence[Candidate], stamped: bool) -> int:
        return self._counter.count(self._block(turn, kept, stamped).text + render.BETWEEN_SESSIONS)

    def _block(self, turn: StoredTurn, kept: Sequence[Candidate], stamped: bool) -> Block:
        return Block(turn, self.labels.label(turn, stamped=stamped), render.body(turn, kept))


def _place(session: Sequence[_Kept], turn: StoredTurn) -> int:
    return bisect_left(session, turn.order, key=lambda block: block.turn.order)
