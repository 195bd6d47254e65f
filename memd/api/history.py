"""Recall's history over a store: what its index finds, in sessions by run or by calendar day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import orjson

from memd.api.meaning import Meaning, Nearness, nearness
from memd.ranking import fusion
from memd.ranking.fusion import Candidate
from memd.recall.context import StoredTurn
from memd.recall.history import Extent, Found
from memd.turns.store import Hit, MemoryItem, TurnView

LANE = 100  # turns that words bring
NEAREST = 100  # that meaning brings
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Sessions:
    """Which session a turn is of: its run's, else that of its user, agent and calendar day in a time zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def of(self, user_id: str | None, agent_id: str | None, run_id: str | None, at: datetime) -> str:
        """The name of the session of a turn with these ids and time."""
        day = None if run_id is not None else at.astimezone(self._zone).date().isoformat()
        return orjson.dumps([user_id, agent_id, run_id, day]).decode()

    def turn(self, item: MemoryItem) -> StoredTurn:
        """The turn as recall sees it."""
        at_ms = (item.created_at - _EPOCH) // timedelta(milliseconds=1)
        session = self.of(item.user_id, item.agent_id, item.run_id, item.created_at)
        return StoredTurn(
            item.id, item.role, item.content, session, item.seq, at_ms, at_ms, agent=item.agent_id
        )


class StoreHistory:
    """What recall asks of one scope and one question, answered by the view of an indexed store.

    ``items`` holds every turn that was read. ``meaning`` tells how near turns come to the question; without it words
    decide alone.
    """

    def __init__(self, view: TurnView, query: str, sessions: Sessions, meaning: Meaning | None) -> None:
        self._view, self._query, self._sessions, self._meaning = view, query, sessions, meaning
        self._best: dict[int, Sequence[Found]] = {}
        self.items: dict[str, MemoryItem] = {}

    def extent(self) -> Extent:
        found = self._view.extent()
        return Extent(found.turns, len({self._sessions.of(*one) for one in found.sessions}), found.size)

    def whole(self, most_turns: int, most_bytes: int) -> Sequence[StoredTurn] | None:
        found = self._view.first(most_turns, most_bytes)
        return None if found is None else self._turns(found)

    def best(self, limit: int) -> Sequence[Found]:
        if limit not in self._best:
            hits = self._view.ranked(self._query, LANE)
            near = nearness(self._view, self._query, hits, self._meaning, NEAREST)
            self._best[limit] = self._found(hits, near, limit)
        return self._best[limit]

    def about(self, text: str, limit: int) -> Sequence[Found]:
        return self._found(self._view.ranked(text, LANE), Nearness(), limit)

    def around(
        self, turns: Sequence[StoredTurn]
    ) -> Mapping[str, tuple[StoredTurn | None, StoredTurn | None]]:
        beside = self._view.around([turn.id for turn in turns])
        return {
            turn.id: (self._of_session(turn, before), self._of_session(turn, after))
            for turn in turns
            for before, after in [beside.get(turn.id, (None, None))]
        }

    def marked(self, phrases: Sequence[str], limit: int) -> Sequence[StoredTurn]:
        return self._turns(self._view.marked(phrases, limit))

    def spread(self, most: int) -> Sequence[StoredTurn]:
        return self._turns(self._view.spread(most))

    def listed(self, most: int) -> Sequence[StoredTurn] | None:
        found = self._view.listed(most)
        return None if found is None else [self._sessions.turn(item) for item in self._seen(found)]

    def counts(self) -> tuple[int, int]:
        return self._view.counts()

    def _found(self, hits: Sequence[Hit], near: Nearness, limit: int) -> list[Found]:
        """What words and meaning brought, on one scale, with what neighbours and sessions add."""
        words = {hit.item.seq: hit for hit in hits}
        every = words | {hit.item.seq: hit for hit in near.brought if hit.item.seq not in words}
        turns = {turn.seq: turn for turn in self._turns([hit.item for hit in every.values()])}
        names = {session: n for n, session in enumerate(sorted({turn.session for turn in turns.values()}))}
        candidates = [
            _candidate(turn, names[turn.session], words.get(row), every[row].before, turns, near)
            for row, turn in turns.items()
        ]
        scores = fusion.surrounded(candidates, fusion.convex(candidates))
        ranked = [fusion.Ranked("turn", one.row, scores[one.row], one.at_ms) for one in candidates]
        known = {one.row: one for one in candidates}
        return [
            Found(turns[one.row], one.score, known[one.row].bm25, known[one.row].cosine)
            for one in fusion.best(ranked, limit)
        ]

    def _of_session(self, turn: StoredTurn, item: MemoryItem | None) -> StoredTurn | None:
        if item is None:
            return None
        (found,) = self._turns([item])
        return found if found.session == turn.session else None

    def _turns(self, items: Iterable[MemoryItem]) -> list[StoredTurn]:
        return [self._sessions.turn(item) for item in self._seen(items)]

    def _seen(self, items: Iterable[MemoryItem]) -> list[MemoryItem]:
        found = list(items)
        for item in found:
            self.items.setdefault(item.id, item)
        return found


def _candidate(
    turn: StoredTurn,
    session: int,
    hit: Hit | None,
    before: int | None,
    turns: Mapping[int, StoredTurn],
    near: Nearness,
) -> Candidate:
    beside = None if before is None else turns.get(before)
    return Candidate(
        row=turn.seq,
        session=session,
        size=len(turn.text.encode()),
        before=beside.seq if beside is not None and beside.session == turn.session else None,
        bm25=hit.score if hit else None,
        cosine=near.cosines.get(turn.id),
        at_ms=turn.sort_ms,
        asks=turn.text.rstrip()[-1:] in ("?", "？"),
    )
