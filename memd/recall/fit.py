"""The budget, held to the token: the whole history where it fits, else what was chosen, trimmed until it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from memd.recall import render
from memd.recall.budget import Draft
from memd.recall.candidates import Candidate
from memd.recall.context import StoredTurn
from memd.recall.history import History
from memd.recall.outcome import Outcome
from memd.recall.render import Block, Labels
from memd.recall.select import Weighed
from memd.text import tokens
from memd.text.tokens import Counter

WIDE_TOKEN = 32  # bytes; a history whose tokens would have to be wider on average does not fit
LEAST_WORDS = 5  # behind a stamp; where there is no room for more, the stamp goes


def whole(history: History, labels: Labels, counter: Counter) -> Outcome | None:
    """The whole history, each turn with its full stamp; None where it is longer than the budget."""
    budget = labels.options.budget
    turns = history.whole(budget, WIDE_TOKEN * budget)
    if turns is None:
        return None
    blocks = stamped(turns, labels)
    text = render.joined(blocks)
    return (
        Outcome("whole_history", None, text=text, blocks=blocks)
        if tokens.fits(text, budget, counter)
        else None
    )


def stamped(turns: Sequence[StoredTurn], labels: Labels) -> list[list[Block]]:
    """Every turn in full under its stamp, the sessions oldest first."""
    by_session = sorted(turns, key=lambda turn: (turn.session, turn.order))
    sessions = [list(group) for _, group in groupby(by_session, lambda turn: turn.session)]
    sessions.sort(key=lambda group: group[0].order)
    return [
        [Block(turn, labels.label(turn, stamped=True), turn.text) for turn in group] for group in sessions
    ]


def finished(outcome: Outcome, draft: Draft, counter: Counter) -> Outcome:
    """The outcome with its text. Where a counter makes more of one text than of its parts, the worst turns go."""
    budget = draft.labels.options.budget
    kept = sorted(
        (one for one in outcome.weighed if one.kept), key=lambda one: one.candidate.score, reverse=True
    )
    while True:
        blocks = draft.blocks()
        text = outcome.above.text + render.joined(blocks)
        if tokens.fits(text, budget, counter):
            break
        _drop(kept.pop(), kept, draft)
    if blocks or not outcome.weighed:
        return replace(outcome, text=text, blocks=blocks)
    return _clipped(replace(outcome, text=text), draft.labels, counter)


def _drop(worst: Weighed, kept: list[Weighed], draft: Draft) -> None:
    """Take a turn out of the draft, whichever of its candidates is the worst of all."""
    turn = worst.candidate.turn
    if draft.holds(turn):
        draft.drop(turn)
    for one in (worst, *(one for one in kept if one.candidate.turn.id == turn.id)):
        one.status, one.reason, one.kept = "dropped", "over_budget", None


def _clipped(outcome: Outcome, labels: Labels, counter: Counter) -> Outcome:
    """The best candidate cut to whole words, as the last resort; as it was where not even one word fits."""
    best = next((one for one in outcome.weighed if one.reason != "shown_in_section"), None)
    if best is None:
        return outcome
    room = labels.options.budget - counter.count(outcome.above.text)
    for shown, least in ((True, LEAST_WORDS), (False, 1)):
        label = labels.label(best.candidate.turn, stamped=shown)
        part = _cut(best.candidate, label, room, counter)
        block = Block(part.turn, label, part.text)
        text = outcome.above.text + block.text
        if len(part.text.split()) >= least and tokens.fits(text, labels.options.budget, counter):
            best.status, best.reason, best.kept = "clipped", "clipped_last_resort", part
            return replace(outcome, text=text, blocks=[[block]], clipped=True)
    return outcome


def _cut(one: Candidate, label: str, room: int, counter: Counter) -> Candidate:
    """The candidate's first words that fit behind a label."""
    text = tokens.cut(label + one.text, room, counter)[len(label) :].rstrip()
    return one._replace(end=one.start + len(text))
