"""What is handed to a model by itself: a recalled context behind a fence, within its budget and ``MOST_CHARS``.

A fence takes room that only shows when it stands. So the context is recalled again with less, until all of it fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memd.recall.context import Context, RecalledTurn, RecallOptions
from memd.recall.render import Labels
from memd.text.fence import Block, fenced
from memd.text.tokens import Counter

MOST_CHARS = 8_000
TRIES = 5
ID_LETTERS = 12
NO_ROOM = "the budget does not hold the fence around it"

Recall = Callable[[RecallOptions], Context]


def fitting(recall: Recall, options: RecallOptions, counter: Counter) -> tuple[Context, str]:
    """The largest tried context that fits with its fence, and the two together; an empty text where none does."""
    budget = options.budget
    for _ in range(TRIES):
        context = recall(replace(options, budget=budget))
        text = fenced(_block(one, Labels(options)) for one in turns(context))
        over = max(counter.count(text) / options.budget, len(text) / MOST_CHARS)
        if over <= 1:
            return context, text
        budget = int(budget / over * 0.95)
        if budget < 1:
            break
    return replace(context, note=NO_ROOM), ""


def turns(context: Context) -> list[RecalledTurn]:
    """Everything that stands in a context, sections first."""
    return [*context.requests, *context.preferences, *context.conflicts, *context.turns]


def _block(one: RecalledTurn, labels: Labels) -> Block:
    turn = one.turn
    project = (turn.project or "").rstrip("/").rsplit("/", 1)[-1]
    parts = (labels.stamp(turn), project, f"turn {turn.id[:ID_LETTERS]}")
    return Block(", ".join(part for part in parts if part), turn.role, one.shown)
