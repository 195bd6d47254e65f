"""What a prompt gets: the few turns and entries that bear on its words, and nothing where none does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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

LOOKED_AT = 16  # of the best of each kind
MOST_TURNS = 6
MOST_ENTRIES = 4
BEHIND = 0.8  # of the relevance of the best, below which nothing is handed over


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is looked for, from where, when, and what stands in the session's context already."""

    text: str
    place: Place
    now_ms: int
    context: Context = NONE


@dataclass(frozen=True, slots=True)
class _Found:
    """Something that may bear on the prompt; the rank of what is told of it is its relevance."""

    at_ms: int
    told: Told


def page_for(
    connection: Connection, prompt: Prompt, lane: Lane, options: Options, counter: Counter, budget: int
) -> Page:
    """The page: entries, then turns, each kind oldest first; the same for the same memory."""
    said, noted = _look(connection, prompt, lane, options)
    best = max((one.told.rank for one in (*said, *noted)), default=0.0)
    least = max(options.floor, BEHIND * best)
    chosen = [*_best(noted, least, MOST_ENTRIES), *_best(said, least, MOST_TURNS)]
    return page.fitted(chosen, budget, counter)


def _best(found: Sequence[_Found], least: float, most: int) -> list[Told]:
    """The best of what is relevant enough, oldest first."""
    ranked = sorted((one for one in found if one.told.rank >= least), key=lambda one: -one.told.rank)
    return [one.told for one in sorted(ranked[:most], key=lambda one: one.at_ms)]


def _look(
    connection: Connection, prompt: Prompt, lane: Lane, options: Options
) -> tuple[list[_Found], list[_Found]]:
    """The turns and the entries that may bear on the prompt."""
    mode = "keyword" if lane.vector is None else "hybrid"
    found = turns.find(connection, _turns_asked(prompt, mode, options), lane)
    asked = Asked.of(prompt.text, found.plan)
    place = prompt.place
    about = entries.Question(
        prompt.text, prompt.now_ms, place.which, place.scope, LOOKED_AT, mode, options.scoring
    )
    noted = entries.find(connection, about, lane, found.plan)
    return (
        list(_turns(connection, prompt, found, asked, options)),
        list(_entries(connection, prompt, noted, asked, options)),
    )


def _turns_asked(prompt: Prompt, mode: str, options: Options) -> turns.Question:
    return turns.Question(
        prompt.text,
        mode=mode,
        project_ids=prompt.place.projects,
        subagents=options.subagents,
        other_branches=options.other_branches,
        apart_from=prompt.context.sessions,
        but_before_ms=prompt.context.emptied_ms,
    )


def _turns(
    connection: Connection, prompt: Prompt, found: turns.Found, asked: Asked, options: Options
) -> Iterator[_Found]:
    cosines = {one.row: one.cosine for one in found.candidates if not one.asks}  # a question tells nothing
    ranked = fusion.best(found.ranked(), len(found.candidates))
    best = [one.row for one in ranked if one.row in cosines][:LOOKED_AT]
    rows = recalled.at(connection, best)
    said: set[str] = set()
    for place in best:
        row = rows[place]
        if row.text in said or Item("turn", row.id) in prompt.context.items:
            continue
        said.add(row.text)
        told = lines.of_turn(row, asked.window(row), options.tz)
        yield _Found(row.sort_ms, replace(told, rank=asked.relevance(row.text, cosines[place])))


def _entries(
    connection: Connection, prompt: Prompt, found: statements.Found, asked: Asked, options: Options
) -> Iterator[_Found]:
    cosines = {one.row: one.cosine for one in found.candidates}
    best = [one.row for one in fusion.best(found.ranked(), LOOKED_AT)]
    known = table.by_ids(connection, best)
    for row in best:
        told = lines.of_entry(known[row], options.tz)
        if told.item not in prompt.context.items:
            relevance = asked.relevance(known[row].content, cosines[row])
            yield _Found(known[row].created_ms, replace(told, rank=relevance))
