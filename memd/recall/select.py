"""Choosing among candidates: in the order of their scores, within the room, each pool with a share that is its own.

User turns have ``USER_ROOM`` of the room for themselves and replies ``REPLY_ROOM``; the rest goes to whoever scores
best. What is passed over because its pool was full is looked at once more when both have had their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memd.recall import candidates
from memd.recall.budget import Draft
from memd.recall.candidates import Candidate
from memd.recall.explain import Status
from memd.text import tokens, words
from memd.text.tokens import Counter

USER_ROOM = 0.25
REPLY_ROOM = 0.15
USER_TURN_CAP = 0.4
WINDOW_CAP = 0.35  # of the room, for one window: a block of code may be as long as it likes
LEAST = 12  # tokens; with fewer left nothing more is tried
CLIPPED_LEAST = 20  # tokens of a turn that is kept in part
CHARS_A_TOKEN = 4
MISSES = 40  # candidates in a row that did not fit


@dataclass(slots=True)
class Weighed:
    """A candidate with what became of it. ``kept`` is the part of it that stands in the draft."""

    candidate: Candidate
    rank: int | None
    status: Status = "dropped"
    reason: str | None = "pool_full"
    kept: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens there are: for all, and at most for each of the two pools."""

    tokens: int

    @property
    def user(self) -> int:
        """What is reserved for user turns."""
        return int(self.tokens * USER_ROOM)

    @property
    def user_turn_cap(self) -> int:
        """The most that one user turn may take whole."""
        return int(self.tokens * USER_TURN_CAP)

    @property
    def chars(self) -> int:
        """About as many characters."""
        return self.tokens * CHARS_A_TOKEN

    @property
    def user_turn_chars(self) -> int:
        """About the most characters of a user turn that may be kept whole; a longer one competes in windows."""
        return self.user_turn_cap * CHARS_A_TOKEN

    def most(self, pool: str) -> int:
        """What a pool may take while the other has not had its share."""
        return self.tokens - int(self.tokens * REPLY_ROOM) if pool == "user" else self.tokens - self.user


def ranked(found: Iterable[Candidate]) -> list[Weighed]:
    """The candidates best first, each with its rank in its pool; of equal ones the newest, then the first part."""
    ordered = sorted(found, key=lambda one: (-round(one.score, 9), -one.turn.sort_ms, one.turn.id, one.part))
    places: dict[str, int] = {}
    weighed: list[Weighed] = []
    for one in ordered:
        places[one.pool] = places.get(one.pool, 0) + 1
        weighed.append(Weighed(one, places[one.pool]))
    return weighed


Best = Callable[[Candidate], Candidate]


class Choice:
    """Fills a draft; ``best`` gives the window to keep of a turn that is too long to keep whole."""

    def __init__(self, room: Room, draft: Draft, counter: Counter, best: Best) -> None:
        self._room = room
        self._draft = draft
        self._counter = counter
        self._best = best
        self._spent: dict[str, int] = {}
        self._said: set[tuple[str, ...]] = set()
        self._misses = 0

    def run(self, weighed: Sequence[Weighed]) -> None:
        """Decide on each, best first; then once more on those whose pool was full."""
        asked = [one for one in weighed if one.reason != "shown_in_section"]
        later = [one for one in asked if not self._over() and not self._decide(one, strict=True)]
        for one in later:
            if self._over():
                return
            self._decide(one, strict=False)

    def _over(self) -> bool:
        return self._misses >= MISSES or self._room.tokens - self._draft.tokens < LEAST

    def _decide(self, one: Weighed, *, strict: bool) -> bool:
        """Keep a candidate or say why not; False where it may be asked again, when the pools have had their shares."""
        candidate = one.candidate
        if self._said_before(candidate):
            one.reason = "duplicate"
            return True
        cost = self._draft.cost(candidate)
        if self._over_cap(candidate, cost):
            one.reason = "over_turn_cap"
            return True
        most = min(self._left(), self._most(candidate))
        pool_left = self._room.most(candidate.pool) - self._spent.get(candidate.pool, 0)
        if strict and min(cost, self._most(candidate)) > pool_left:
            return False
        if cost <= most:
            return self._keep(one, candidate, cost)
        part = self._part(candidate, most)
        if part is None:
            self._misses += 1
            one.reason = "over_budget"
            return True
        one.status, one.reason = "clipped", "clipped_to_fit"
        return self._keep(one, part, self._draft.cost(part))

    def _left(self) -> int:
        return self._room.tokens - self._draft.tokens

    def _most(self, candidate: Candidate) -> int:
        """The most that one candidate may take."""
        return self._room.user_turn_cap if candidate.kind == "turn" else int(self._room.tokens * WINDOW_CAP)

    def _over_cap(self, candidate: Candidate, cost: int) -> bool:
        """Whether a user turn that is kept in parts has had all that one turn may take."""
        turn = candidate.turn
        return (
            self._draft.holds(turn)
            and turn.by_user
            and self._draft.taken(turn) + cost > self._room.user_turn_cap
        )

    def _said_before(self, candidate: Candidate) -> bool:
        return tuple(words.words(candidate.text)) in self._said

    def _keep(self, one: Weighed, candidate: Candidate, cost: int) -> bool:
        if one.status == "dropped":
            one.status, one.reason = "kept", None
        one.kept = candidate
        self._draft.add(candidate)
        self._spent[candidate.pool] = self._spent.get(candidate.pool, 0) + cost
        self._said.add(tuple(words.words(one.candidate.text)))
        self._misses = 0
        return True

    def _part(self, candidate: Candidate, left: int) -> Candidate | None:
        """A beginning of the candidate's best window within so many tokens; None where that is too little."""
        if left < CLIPPED_LEAST or self._draft.holds(candidate.turn):
            return None
        window = self._best(candidate)
        room = left - self._draft.cost(window._replace(end=window.start))
        while room >= CLIPPED_LEAST:
            text = tokens.cut(window.text, room, self._counter)
            part = candidates.cut(window, len(text))
            over = self._draft.cost(part) - left
            if over <= 0:
                return part if text else None
            room -= over  # a label and a text may take more together than apart
        return None
