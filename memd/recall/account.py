"""The answer made of an outcome: its turns, its figures, and why it is empty where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memd.recall import fit, reasons, render
from memd.recall.context import Context, RecalledTurn, RecallOptions
from memd.recall.history import Extent, History
from memd.recall.outcome import Outcome
from memd.recall.relevance import Asked
from memd.recall.render import Labels
from memd.text.tokens import Counter

COUNTED_BYTES = 64_000  # a history up to so long is counted, a longer one estimated
COUNTED_TURNS = 1_000
LABEL_BYTES = 40
BYTES_A_TOKEN = 4

NOTHING_STORED = "nothing is stored here"
NOTHING_BEARS = "nothing stored bears on the question"
NO_ROOM = "the budget does not hold one word of it"


def context(
    query: str, outcome: Outcome, history: History, options: RecallOptions, counter: Counter
) -> Context:
    """The context as the caller gets it."""
    extent = history.extent()
    used = counter.count(outcome.text)
    whole, exact = _history_tokens(outcome, used, extent, history, options, counter)
    result = Context(
        query=query,
        text=outcome.text,
        tokens=used,
        budget=options.budget,
        counter=counter.name,
        history_tokens=whole,
        history_exact=exact,
        turns=tuple(_recalled(query, outcome)),
        requests=outcome.above.requests,
        preferences=outcome.above.preferences,
        conflicts=outcome.above.conflicts,
        sessions_total=extent.sessions,
        sessions_kept=len(outcome.blocks),
        note=_note(outcome, extent),
        whole=outcome.mode == "whole_history",
    )
    if not options.explain:
        return result
    return replace(result, explanation=reasons.explanation(result, outcome, history, options, counter))


def _recalled(query: str, outcome: Outcome) -> Iterator[RecalledTurn]:
    terms = Asked.of(query)
    partial = outcome.partial
    for session in outcome.blocks:
        for turn, _, shown in session:
            yield RecalledTurn(turn, round(terms.share(turn.text), 4), turn.id in partial, shown)


def _history_tokens(
    outcome: Outcome, used: int, extent: Extent, history: History, options: RecallOptions, counter: Counter
) -> tuple[int, bool]:
    """What the whole history would take, and whether that was counted."""
    if outcome.mode == "whole_history":
        return used, True
    turns = None
    if extent.turns <= COUNTED_TURNS and extent.size <= COUNTED_BYTES:
        turns = history.whole(COUNTED_TURNS, COUNTED_BYTES)
    if turns is None:
        return (extent.size + LABEL_BYTES * extent.turns) // BYTES_A_TOKEN, False
    return counter.count(render.joined(fit.stamped(turns, Labels(options)))), True


def _note(outcome: Outcome, extent: Extent) -> str | None:
    if outcome.text:
        return None
    if not extent.turns:
        return NOTHING_STORED
    return NO_ROOM if outcome.weighed else NOTHING_BEARS
