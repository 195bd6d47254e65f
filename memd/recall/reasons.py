"""The account of every decision, drawn up from the outcome: nothing is decided here a second time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memd.clock import iso
from memd.recall import render
from memd.recall.context import Context, RecallOptions, StoredTurn
from memd.recall.explain import ExplainedCandidate, ExplainedSection, ExplainedTurn, Explanation, Status
from memd.recall.history import History
from memd.recall.outcome import Outcome
from memd.recall.select import Weighed
from memd.text.tokens import Counter

LISTED_TURNS = 5_000  # of a larger scope only the candidates are told of one by one
SECTIONS = ("requests", "preferences", "conflicts")


def explanation(
    context: Context, outcome: Outcome, history: History, options: RecallOptions, counter: Counter
) -> Explanation:
    """Why the context is what it is."""
    listed = history.listed(LISTED_TURNS)
    told = _Told(context, outcome, options, counter)
    turns = tuple(told.turns(listed if listed is not None else told.known()))
    rest: Mapping[str, int] = {}
    if listed is None:
        inside, outside = history.counts()
        rest = {told.passed_over: inside - len(turns), "outside_window": outside}
    above = outcome.above.explained or tuple(
        ExplainedSection(name, False, "history_fits") for name in SECTIONS
    )
    attributed = sum(turn.tokens for turn in turns) + sum(section.tokens for section in above)
    room = outcome.room
    return Explanation(
        mode=outcome.mode,
        route=outcome.route,
        budget=context.budget,
        tokens=context.tokens,
        history_tokens=context.history_tokens,
        room=room.tokens if room else context.budget,
        user_room=room.user if room else None,
        user_turn_cap=room.user_turn_cap if room and outcome.mode == "turns" else None,
        clipped=outcome.clipped,
        unattributed_tokens=context.tokens - attributed,
        turns=turns,
        sections=above,
        rest={reason: n for reason, n in rest.items() if n},
    )


class _Told:
    """The turns of one context, each with its candidates and what became of it."""

    def __init__(self, context: Context, outcome: Outcome, options: RecallOptions, counter: Counter) -> None:
        self._outcome = outcome
        self._options = options
        self._counter = counter
        self._budget = context.budget
        self._tokens = dict(_block_tokens(outcome, counter))
        self._partial = outcome.partial
        sections = (*context.requests, *context.preferences, *context.conflicts)
        self._in_sections = {one.turn.id for one in sections}
        self._weighed: dict[str, list[Weighed]] = {}
        for one in outcome.weighed:
            self._weighed.setdefault(one.candidate.turn.id, []).append(one)

    @property
    def passed_over(self) -> str:
        """Why a turn that was no candidate is not there."""
        if self._outcome.mode == "digest":
            return "not_sampled"
        return "below_floor" if self._outcome.refused else "no_match"

    def known(self) -> list[StoredTurn]:
        """The turns that were weighed, oldest first."""
        turns = {one.candidate.turn.id: one.candidate.turn for one in self._outcome.weighed}
        return sorted(turns.values(), key=lambda turn: turn.order)

    def turns(self, listed: Sequence[StoredTurn]) -> Iterator[ExplainedTurn]:
        """Each turn's account."""
        sessions = _session_places([turn for turn in listed if self._options.holds(turn)])
        for turn in listed:
            yield self._turn(turn, sessions.get(turn.session) if self._options.holds(turn) else None)

    def _turn(self, turn: StoredTurn, session: int | None) -> ExplainedTurn:
        weighed = self._weighed.get(turn.id, [])
        status, reason = self._fate(turn, weighed, session)
        tokens = self._tokens.get(turn.id, 0)
        selected = session is not None and self._outcome.mode != "whole_history"
        return ExplainedTurn(
            id=turn.id,
            role=turn.role,
            created_at=None if turn.at_ms is None else iso(turn.at_ms),
            session=session,
            pool=("user" if turn.by_user else "reply") if selected else None,
            status=status,
            reason=reason,
            tokens=tokens,
            share=round(tokens / self._budget, 6),
            candidates=tuple(self._candidate(one) for one in weighed),
        )

    def _fate(
        self, turn: StoredTurn, weighed: Sequence[Weighed], session: int | None
    ) -> tuple[Status, str | None]:
        if session is None:
            return "dropped", "outside_window"
        if turn.id not in self._tokens:
            if weighed:
                return "dropped", weighed[0].reason
            return "dropped", "shown_in_section" if turn.id in self._in_sections else self.passed_over
        if turn.id not in self._partial:
            return "kept", None
        clipped = next((one.reason for one in weighed if one.status == "clipped"), None)
        return "clipped", clipped or self._shortened(turn)

    def _shortened(self, turn: StoredTurn) -> str:
        if self._outcome.mode == "digest":
            return "opening_only"
        return "over_turn_cap" if turn.by_user else "best_parts"

    def _candidate(self, one: Weighed) -> ExplainedCandidate:
        candidate = one.candidate
        return ExplainedCandidate(
            turn_id=candidate.turn.id,
            pool=candidate.pool,
            kind=candidate.kind,
            part=candidate.part,
            rank=one.rank,
            score=None if one.rank is None else round(candidate.score, 6),
            tokens=self._counter.count(candidate.text),
            status=one.status,
            reason=one.reason,
        )


def _block_tokens(outcome: Outcome, counter: Counter) -> Iterator[tuple[str, int]]:
    """What each block takes in the text, with the line break after it."""
    for session in outcome.blocks:
        for block in session:
            last = block is session[-1]
            end = "" if last and session is outcome.blocks[-1] else render.BETWEEN_TURNS
            yield (
                block.turn.id,
                counter.count(block.text + (render.BETWEEN_SESSIONS if last and end else end)),
            )


def _session_places(turns: Sequence[StoredTurn]) -> dict[str, int]:
    """The place of each session, the oldest first."""
    first: dict[str, StoredTurn] = {}
    for turn in turns:
        known = first.get(turn.session)
        if known is None or turn.order < known.order:
            first[turn.session] = turn
    return {session: n for n, session in enumerate(sorted(first, key=lambda session: first[session].order))}
