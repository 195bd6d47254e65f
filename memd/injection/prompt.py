"""What a prompt gets: the few turns and entries that bear on its words, and nothing where none does.

A turn comes with the other half of its exchange: a question says nothing without its answer, nor an answer alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memd.db.driver import Connection
from memd.db.vectors import Lane
from memd.injection import lines, page
from memd.injection.handed import NONE, Context
from memd.injection.lines import Item, Told
from memd.injection.options import Options, Place
from memd.injection.page import Page
from memd.injection.relevance import Asked
from memd.memory import search as entries
from memd.memory import statements, table
from memd.ranking import fusion
from memd.text.tokens import Counter
from memd.turns import recalled
from memd.turns import search as turns
from memd.turns.search import ByWords

LOOKED_AT = 16  # of the best of each kind
NEAREST = 45  # texts that meaning brings for them
MOST_TURNS = 2  # with their partners
MOST_ENTRIES = 4
BEHIND = 0.8  # of the relevance of the best, below which nothing is handed over
BESIDE = 0.99  # of the rank of a turn, for its partner


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is looked for, from where, when, and what stands in the session's context already."""

    text: str
    place: Place
    now_ms: int
    context: Context = NONE


class _Ranked(NamedTuple):
    """Something that may bear on the prompt: how much it does, when it was said, its row, and what it is."""

    relevance: float
    at_ms: int
    row: int
    item: Item


def by_words(connection: Connection, prompt: Prompt, options: Options) -> ByWords:
    """The turns that a prompt's words bring, for ``page_for``: to be found while its meaning is."""
    return turns.by_words(connection, _about_turns(prompt, options))


def page_for(
    connection: Connection,
    prompt: Prompt,
    lane: Lane,
    options: Options,
    counter: Counter,
    budget: int,
    words: ByWords | None = None,
) -> Page:
    """The page: entries, then exchanges, each kind oldest first; the same for the same memory."""
    question = replace(_about_turns(prompt, options), mode=_mode(lane))
    found = turns.find(connection, question, lane, words)
    noted = entries.find(connection, _about_entries(prompt, lane, options), lane, found.plan)
    asked = Asked.of(prompt.text, found.plan)
    said, known = _said(connection, found, asked), _known(connection, noted, asked)
    # Beside what the session was handed before as well: what is second to that does not become the best by it.
    best = max((one.relevance for one in (*said, *known)), default=0.0)
    least, given = max(options.floor, BEHIND * best), prompt.context.items
    told = [
        *_entries(connection, _best(known, least, MOST_ENTRIES, given), options),
        *_exchanges(connection, prompt, _best(said, least, MOST_TURNS, given), question, asked, options),
    ]
    return page.fitted(told, budget, counter)


def _about_turns(prompt: Prompt, options: Options) -> turns.Question:
    return turns.Question(
        prompt.text,
        project_ids=prompt.place.projects,
        subagents=options.subagents,
        other_branches=options.other_branches,
        apart_from=prompt.context.sessions,
        but_before_ms=prompt.context.emptied_ms,
        nearest=NEAREST,
    )


def _about_entries(prompt: Prompt, lane: Lane, options: Options) -> entries.Question:
    place = prompt.place
    return entries.Question(
        prompt.text, prompt.now_ms, place.which, place.scope, LOOKED_AT, _mode(lane), options.scoring
    )


def _mode(lane: Lane) -> str:
    return "keyword" if lane.vector is None else "hybrid"


def _said(connection: Connection, found: turns.Found, asked: Asked) -> list[_Ranked]:
    """The turns that were found."""
    cosines = {one.row: one.cosine for one in found.candidates}
    best = [one.row for one in fusion.best(found.ranked(), LOOKED_AT)]
    rows = recalled.at(connection, best)
    texts = {rows[place].text: place for place in reversed(best)}  # what was said twice counts once
    return [
        _Ranked(
            asked.relevance(text, cosines[place]), rows[place].sort_ms, place, Item("turn", rows[place].id)
        )
        for text, place in texts.items()
    ]


def _known(connection: Connection, found: statements.Found, asked: Asked) -> list[_Ranked]:
    """The entries that were found."""
    cosines = {one.row: one.cosine for one in found.candidates}
    best = [one.row for one in fusion.best(found.ranked(), LOOKED_AT)]
    return [
        _Ranked(asked.relevance(entry.content, cosines[row]), entry.created_ms, row, Item("entry", str(row)))
        for row, entry in table.by_ids(connection, best).items()
    ]


def _best(found: Sequence[_Ranked], least: float, most: int, given: Container[Item]) -> list[_Ranked]:
    """The best of what is relevant enough and was not given before, oldest first."""
    fresh = [one for one in found if one.relevance >= least and one.item not in given]
    ranked = sorted(fresh, key=lambda one: (-one.relevance, -one.row))
    return sorted(ranked[:most], key=lambda one: (one.at_ms, one.row))


def _entries(connection: Connection, best: Sequence[_Ranked], options: Options) -> Iterator[Told]:
    known = table.by_ids(connection, [one.row for one in best])
    for one in best:
        yield replace(lines.of_entry(known[one.row], options.tz), rank=one.relevance)


def _exchanges(
    connection: Connection,
    prompt: Prompt,
    best: Sequence[_Ranked],
    question: turns.Question,
    asked: Asked,
    options: Options,
) -> Iterator[Told]:
    """The turns, each beside the other half of its exchange."""
    partners = recalled.partners(connection, question, [one.row for one in best])
    ranks = {partners[one.row]: BESIDE * one.relevance for one in best if one.row in partners}
    ranks |= {one.row: one.relevance for one in best}
    rows = recalled.at(connection, list(ranks))
    for place, row in sorted(rows.items(), key=lambda one: (one[1].sort_ms, one[1].session, one[1].seq)):
        if Item("turn", row.id) not in prompt.context.items:
            yield replace(lines.of_turn(row, asked.window(row), options.tz), rank=ranks[place])
