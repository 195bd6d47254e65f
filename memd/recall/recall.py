"""Recall: the words of a history that answer a question, verbatim and dated, within a budget of tokens.

The same history, question and options give the same text: no clock, no chance, and every order has its tie broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memd.recall import account, digest, fit, floor, question, relevance, rescoring, sections, select
from memd.recall.budget import Draft
from memd.recall.candidates import Candidate
from memd.recall.context import Context, RecallOptions, Sections
from memd.recall.history import Found, History
from memd.recall.outcome import Outcome
from memd.recall.question import Route
from memd.recall.relevance import Asked
from memd.recall.render import Labels
from memd.recall.rescoring import Rescorer
from memd.recall.select import Choice, Room, Weighed
from memd.text.tokens import Counter

CANDIDATES = 150
FETCHED = 20  # turns, of what a standing request asks for
OPENINGS = 2_000  # that a summary looks at, at most
OPENING_TOKENS = 6  # at least


def recall(
    query: str, history: History, options: RecallOptions, counter: Counter, rescore: Rescorer | None = None
) -> Context:
    """The context for a question; its text is empty, and a note says why, where nothing stored bears on it.

    ``rescore`` is asked about the best candidates, where some are to be chosen.
    """
    outcome = fit.whole(history, Labels(options), counter)
    outcome = outcome or _selected(query, history, options, counter, rescore)
    return account.context(query, outcome, history, options, counter)


def _selected(
    query: str, history: History, options: RecallOptions, counter: Counter, rescore: Rescorer | None
) -> Outcome:
    asked = question.read(query)
    above = sections.build(asked, history, options, counter)
    room = Room(max(0, options.budget - counter.count(above.text)))
    draft = Draft(Labels(options), counter)
    terms = Asked.of(query, above.fetch)
    found = history.best(CANDIDATES)
    if options.coverage == "always" or (options.coverage == "auto" and asked.route is Route.OVERVIEW):
        weighed = _openings(terms, found, history, room, draft, counter)
        outcome = Outcome("digest", asked.route, weighed, above, room)
    else:
        bears = floor.bears(Asked.of(query), found)
        scored = _scored(terms, found if bears else [], history, above, room)
        weighed = _weighed(rescoring.rescored(query, scored, rescore), above)
        outcome = Outcome("turns", asked.route, weighed, above, room, refused=bool(found) and not bears)
    Choice(room, draft, counter, lambda one: relevance.best_window(terms, one)).run(outcome.weighed)
    return fit.finished(outcome, draft, counter)


def _scored(
    terms: Asked, found: Sequence[Found], history: History, above: Sections, room: Room
) -> list[Candidate]:
    """User turns and windows of replies, as they bear on the question."""
    found = relevance.with_words(terms, _with_fetched(found, history, above))
    found = relevance.with_neighbours(found, history)
    found = relevance.with_updates(terms, found)
    return relevance.scored(terms, found, room.user_turn_chars, room.chars)


def _weighed(scored: Sequence[Candidate], above: Sections) -> list[Weighed]:
    """They in their order; what a section shows whole is not shown again."""
    weighed = select.ranked(scored)
    shown = {
        one.turn.id for one in (*above.requests, *above.preferences, *above.conflicts) if not one.partial
    }
    for one in weighed:
        if one.candidate.turn.id in shown:
            one.reason = "shown_in_section"
    return weighed


def _with_fetched(found: Sequence[Found], history: History, above: Sections) -> list[Found]:
    """What was found, and at half its score what the best request asks an answer to hold."""
    known = {one.turn.id for one in found}
    more = [one for text in above.fetch for one in history.about(text, FETCHED) if one.turn.id not in known]
    return [*found, *(replace(one, score=one.score * relevance.FETCHED) for one in more)]


def _openings(
    terms: Asked, found: Sequence[Found], history: History, room: Room, draft: Draft, counter: Counter
) -> list[Weighed]:
    """The openings of turns, and in the room they leave windows of the replies that bear on the question."""
    scores = {one.turn.id: one.score for one in found}
    spread = history.spread(min(OPENINGS, room.tokens // OPENING_TOKENS + 1))
    turns = {turn.id: turn for turn in (*spread, *(one.turn for one in found))}
    openings = digest.openings(list(turns.values()), scores)
    every = digest.fits(openings, room, draft.labels, counter)
    weighed = digest.unranked(openings) if every else digest.by_slices(openings)
    details = digest.details(relevance.scored(terms, found, room.user_turn_chars, room.chars))
    return [*weighed, *select.ranked(details)]
