"""Recall's history over a store: what its index finds, in sessions by run or by calendar day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import orjson

from memd.ranking import fusion
from memd.ranking.fusion import Candidate
from memd.recall.context import StoredTurn
from memd.recall.history import Extent, Found
from memd.turns.store import Hit, MemoryItem, TurnView

LANE = 100  # turns that words bring
SCORED = 300  # turns that a scorer is asked about: of a larger scope, those that words brought
SCORED_BYTES = 1 << 20
NEAR = 0.2  # from which on a turn is found by its meaning alone
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Scorer = Callable[[str, Sequence[str]], Sequence[float]]


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

    ``items`` holds every turn that was read. ``scorer`` tells how near texts come to the question in meaning.
    """

    def __init__(self, view: TurnView, query: str, sessions: Sessions, scorer: Scorer | None) -> None:
        self._view, self._query, self._sessions, self._scorer = view, query, sessions, scorer
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
            self._best[limit] = self._found(hits, self._near(hits), limit)
        return self._best[limit]

    def about(self, text: str, limit: int) -> Sequence[Found]:
        return self._found(self._view.ranked(text, LANE), {}, limit)

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

    def _near(self, hits: Sequence[Hit]) -> dict[str, float]:
        """How near turns come in meaning, by id: all of a small scope, else those that words brought."""
        if self._scorer is None:
            return {}
        items = self._view.first(SCORED, SCORED_BYTES)
        asked = self._seen([hit.item for hit in hits] if items is None else items)
        near = self._scorer(self._query, [item.content for item in asked]) if asked else []
        if len(near) != len(asked):
            raise ValueError(
                f"the scorer gave {len(near)} scores for {len(asked)} texts; it must give one each"
            )
        return {item.id: float(score) for item, score in zip(asked, near, strict=True)}

    def _found(self, hits: Sequence[Hit], near: Mapping[str, float], limit: int) -> list[Found]:
        """What words and meaning brought, on one scale, with what neighbours and sessions add."""
        by_row = {hit.item.seq: hit for hit in hits}
        turns = {turn.seq: turn for turn in self._turns([hit.item for hit in hits])}
        others = [self.items[id] for id, score in near.items() if score >= NEAR]
        turns |= {turn.seq: turn for turn in self._turns(others)}
        names = {session: n for n, session in enumerate(sorted({turn.session for turn in turns.values()}))}
        candidates = [
            _candidate(turn, names[turn.session], by_row.get(turn.seq), turns, near)
            for turn in turns.values()
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
    turns: Mapping[int, StoredTurn],
    near: Mapping[str, float],
) -> Candidate:
    before = turns.get(hit.before) if hit and hit.before is not None else None
    return Candidate(
        row=turn.seq,
        session=session,
        size=len(turn.text.encode()),
        before=before.seq if before is not None and before.session == turn.session else None,
        bm25=hit.score if hit else None,
        cosine=near.get(turn.id),
        at_ms=turn.sort_ms,
        asks=turn.text.rstrip()[-1:] in ("?", "？"),
    )
