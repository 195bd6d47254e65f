"""The keyword lane: a plan that bounds what is ranked, whatever the words.

Matching is cheap and ranking is not. Where the hits of all words are few, all are ranked. Else the rows that hold
every word come first, then those that hold any of the rarest; of what is frequent, the newest hits are ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from memd.db import driver, fts
from memd.db.counts import Counts
from memd.db.driver import Connection, Value
from memd.db.fts import TURNS, Index, Term
from memd.text import words
from memd.text.words import STOP

RANKED = 800  # hits that one expression may rank: some 3 ms
SCANNED = 40_000  # hits that one question may hold against a narrow filter
ENOUGH = 50
LAST_ROW = 2**63 - 1
PHRASES = 48  # of one match expression
TOGETHER = 6  # words that must all stand in a row
COUNTED = (
    20_000  # entries of the index that one expression may read: bm25 counts the rows of each of its phrases
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows may be found: a condition over those that the index joins, with its values."""

    where: str
    values: Sequence[Value]
    narrow: bool = False  # it may leave next to nothing
    few: bool = False  # so few that each can be looked at; they stand between the rows ``first`` and ``last``
    first: int = 0
    last: int = LAST_ROW


@dataclass(frozen=True, slots=True)
class Plan:
    """The terms of a question by how many rows of the index hold them, rarest first, and those that none holds.

    ``counts`` tells the same of their words.
    """

    costs: Mapping[Term, int]
    unknown: Sequence[Term]
    counts: Counts
    index: Index = TURNS

    @property
    def known(self) -> Sequence[Term]:
        """The terms that some row may hold."""
        return list(self.costs)

    @property
    def words(self) -> Sequence[str]:
        """What to show of a text: the words of those terms, and their stems."""
        return [word for term in self.costs for word in (*term.said, *(() if term.whole else term.stems))]


def plan(connection: Connection, query: str, index: Index = TURNS) -> Plan:
    """The plan for a question; stop words count only where there is nothing else."""
    found = fts.terms(connection, query)
    wanted = [term for term in found if not _is_stop(term)] or found
    counts = Counts(connection, wanted, index)
    costs: dict[Term, int] = {}
    unknown: list[Term] = []
    for term in wanted:
        cost = counts.of(term)
        if cost:
            costs[term] = cost
        elif known := _known_parts(counts, term):
            costs |= known
        else:
            unknown.append(term)
    return Plan(dict(sorted(costs.items(), key=lambda pair: pair[1])), unknown, counts, index)


def _is_stop(term: Term) -> bool:
    return len(term.words) == 1 and term.words[0] in STOP


def _known_parts(counts: Counts, term: Term) -> dict[Term, int]:
    """Of a term that stands nowhere as it is written, the words that do: more than half of it, or some of its pairs."""
    costs = {part: counts.of(part) for part in term.parts if not _is_stop(part)}
    known = {part: cost for part, cost in costs.items() if cost}
    enough = len(term.words) // (4 if term.in_pairs else 2)
    return known if len(known) > enough else {}


def search(connection: Connection, plan: Plan, which: Filter, limit: int) -> dict[int, float]:
    """Rows and their scores (higher is better), at most ``limit`` of each step of the plan."""
    if not plan.costs:
        return {}
    return _held(connection, plan, _found(connection, plan, which, limit))


def _found(connection: Connection, plan: Plan, which: Filter, limit: int) -> dict[int, float]:
    chosen = _affordable(plan)
    if plan.costs.keys() <= set(chosen):
        return _ranked(connection, fts.any_of(chosen), plan, which, limit)
    found = _ranked(connection, fts.all_of(_together(plan)), plan, which, limit)
    if len(found) < min(ENOUGH, limit):
        more = _ranked(connection, fts.any_of(chosen or plan.known[:1]), plan, which, limit)
        found = {row: max(found.get(row, 0.0), more.get(row, 0.0)) for row in found.keys() | more.keys()}
    return found


def _held(connection: Connection, plan: Plan, found: Mapping[int, float]) -> dict[int, float]:
    """What was found, without the rows that hold the pieces of a word, but not the word, nor any other term."""
    wholes = {term.whole for term in plan.costs if term.whole}
    if not wholes or not found:
        return dict(found)
    asked = (orjson.dumps(list(found)).decode(),)
    among = "(SELECT value FROM json_each(?))"
    texts = connection.execute(f"SELECT * FROM ({plan.index.texts}) WHERE place IN {among}", asked)
    kept = {driver.number(row) for row, text in texts if words.held(str(text), wholes)}
    if others := [term for term in (*plan.costs, *_parts(plan)) if not term.whole]:
        name = plan.index.name
        rows = connection.execute(
            f"SELECT rowid FROM {name} WHERE {name} MATCH ? AND rowid IN {among}",
            (fts.any_of(others), *asked),
        )
        kept.update(driver.number(row) for (row,) in rows)
    return {row: score for row, score in found.items() if row in kept}


def _parts(plan: Plan) -> list[Term]:
    """The parts of compound terms that are worth looking for by themselves."""
    return [part for term in plan.costs for part in term.parts if not _is_stop(part)]


def _affordable(plan: Plan) -> list[Term]:
    """The rarest terms that may be ranked together; then, as far as they may be too, the parts of compound ones."""
    chosen: list[Term] = []
    left, unread = RANKED, COUNTED
    for term, cost in plan.costs.items():
        unread -= plan.counts.reading(term)
        if cost > left or (chosen and unread < 0):
            return chosen
        chosen.append(term)
        left -= cost
    for part in _parts(plan):
        cost = plan.counts.of(part)
        if part not in chosen and cost <= left and len(chosen) < PHRASES:
            chosen.append(part)
            left -= cost
    return chosen


def _together(plan: Plan) -> list[Term]:
    """The rarest term, and of the others each, or else its rarest word, for which the index is not read too long."""
    first, *others = plan.known
    taken = [first]
    unread = COUNTED - plan.counts.reading(first)
    for term in others:
        parts = sorted(term.parts, key=plan.counts.of)
        for one in (term, *parts[:1]):
            cost = plan.counts.reading(one)
            if cost <= unread and len(taken) < TOGETHER:
                taken.append(one)
                unread -= cost
                break
    return taken


def _ranked(connection: Connection, match: str, plan: Plan, which: Filter, limit: int) -> dict[int, float]:
    """The best of the newest hits, ``RANKED`` of them at most: the inner limit ends the scan."""
    first = _first_row(connection, match, plan, which) if which.narrow else which.first
    fts5, index = plan.index.name, plan.index
    rows = connection.execute(
        f"""SELECT place, score FROM (
              SELECT {fts5}.rowid AS place, -bm25({fts5}) AS score FROM {fts5} {index.joined}
              WHERE {fts5} MATCH ? AND {fts5}.rowid BETWEEN ? AND ? AND {which.where}
              ORDER BY {fts5}.rowid DESC LIMIT ?
            ) ORDER BY score DESC, place DESC LIMIT ?""",
        (match, first, which.last, *which.values, RANKED, limit),
    )
    return {driver.number(row): float(str(score)) for row, score in rows}


def _first_row(connection: Connection, match: str, plan: Plan, which: Filter) -> int:
    """The row from which on there are ``SCANNED`` hits before the filter's last row, or the filter's first row.

    No expression that is asked has more hits than the rarest term, or than may be ranked.
    """
    if max(min(plan.costs.values()), RANKED) <= SCANNED:
        return which.first
    index = plan.index
    query = f"""SELECT rowid FROM {index.name} WHERE {index.name} MATCH ? AND rowid BETWEEN ? AND ?
                ORDER BY rowid DESC LIMIT 1 OFFSET ?"""
    found = connection.execute(query, (match, which.first, which.last, SCANNED)).get
    return which.first if found is None else driver.number(found)


def outside(connection: Connection, plan: Plan, which: Filter, most: int = 1_000) -> int:
    """How many rows hold the question's words beyond a filter, counted up to ``most``."""
    if not plan.costs:
        return 0
    match, index = fts.all_of(_together(plan)), plan.index
    first = _first_row(connection, match, plan, which)
    found = connection.execute(
        f"""SELECT count(*) FROM (SELECT 1 FROM {index.name} {index.joined}
            WHERE {index.name} MATCH ? AND {index.name}.rowid >= ? AND {which.where} LIMIT ?)""",
        (match, first, *which.values, most),
    ).get
    return driver.number(found)
