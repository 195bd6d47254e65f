"""The keyword lane: a plan that bounds what is ranked, whatever the words.

Matching is cheap and ranking is not, so frequent words are dropped by how many turns hold them; all remaining words
together come first, then any of the rarest; a question of frequent words alone ranks the newest turns that match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db import driver, fts
from memd.db.driver import Connection, Value
from memd.db.fts import Term

RANKED = 6_000  # hits that one question may rank: some 25 ms
ENOUGH = 50
NEWEST = 2_000

STOP = frozenset(
    """a about after again all also am an and any are as at be because been before being both but by can could did do
    does doing done for from had has have having he her here hers him his how i if in into is it its just let me more
    most my no nor not now of off on once only or other our out over own please said same say she should so some such
    tell than that the their them then there these they this those through to too under until up us very was we were
    what when where which while who whom whose why will with would you your""".split()
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which turns may be found: a condition over ``t`` (turn) and ``s`` (session), with its values."""

    where: str
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Plan:
    """The terms of a question, those that some turn holds and are worth ranking by, and what each costs."""

    terms: Sequence[Term]
    known: Sequence[Term]
    costs: Sequence[int]

    @property
    def unknown(self) -> int:
        """How many terms no turn holds."""
        return len(self.terms) - len(self.known)


def plan(connection: Connection, query: str) -> Plan:
    """The plan for a question; stop words count only where there is nothing else."""
    found = fts.terms(connection, query)
    wanted = [term for term in found if not (len(term.words) == 1 and term.words[0] in STOP)] or found
    costs = {term: min(fts.frequency(connection, stem) for stem in term.stems) for term in wanted}
    known = sorted((term for term in wanted if costs[term]), key=lambda term: costs[term])
    return Plan(wanted, known, [costs[term] for term in known])


def search(connection: Connection, plan: Plan, which: Filter, limit: int) -> dict[int, float]:
    """Rows and their scores (higher is better), at most ``limit``."""
    terms = _with_parts(plan.known)
    if not terms:
        return {}
    if sum(plan.costs) <= RANKED:
        return _ranked(connection, fts.any_of(terms), which, limit)
    found: dict[int, float] = {}
    if len(plan.known) > 1:
        found = _ranked(connection, fts.all_of(plan.known), which, limit)
    if len(found) < ENOUGH:
        rare = _affordable(plan)
        more = (
            _ranked(connection, fts.any_of(rare), which, limit)
            if rare
            else _newest(connection, plan, which, limit)
        )
        found = {row: max(score, found.get(row, 0.0)) for row, score in more.items()} | {
            row: score for row, score in found.items() if row not in more
        }
    return found


def _with_parts(terms: Sequence[Term]) -> list[Term]:
    """Terms written together, and their words apart: the whole ranks first, a part alone still finds."""
    found = {term.words: term for term in terms}
    for term in terms:
        if len(term.words) > 1 and not ("\u2e80" < term.words[0][0]):
            for word, stem in zip(term.words, term.stems, strict=False):
                if word not in STOP:
                    found.setdefault((word,), Term((word,), (stem,)))
    return list(found.values())


def _affordable(plan: Plan) -> list[Term]:
    """The rarest terms that may be ranked together."""
    chosen: list[Term] = []
    left = RANKED
    for term, cost in zip(plan.known, plan.costs, strict=True):
        if cost > left:
            break
        chosen.append(term)
        left -= cost
    return chosen


def _ranked(
    connection: Connection, match: str, which: Filter, limit: int, after: int = 0
) -> dict[int, float]:
    rows = connection.execute(
        f"""SELECT t.rowid, -bm25(turn_fts) AS score FROM turn_fts
            CROSS JOIN turn t ON t.rowid = turn_fts.rowid CROSS JOIN session s ON s.id = t.session_id
            WHERE turn_fts MATCH ? AND turn_fts.rowid > ? AND {which.where} ORDER BY score DESC LIMIT ?""",
        (match, after, *which.values, limit),
    )
    return {driver.number(row): float(str(score)) for row, score in rows}


def _newest(connection: Connection, plan: Plan, which: Filter, limit: int) -> dict[int, float]:
    """The newest turns that hold the rarest word, where even that one is frequent."""
    last = driver.number(connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get)
    span = max(NEWEST, last * NEWEST // max(1, plan.costs[0]))
    return _ranked(connection, fts.any_of(plan.known[:1]), which, limit, max(0, last - span))


def outside(connection: Connection, plan: Plan, which: Filter, most: int = 1_000) -> int:
    """How many turns hold the question's words beyond a filter, counted up to ``most``."""
    if not plan.known:
        return 0
    match = fts.all_of(plan.known[:4])
    found = connection.execute(
        f"""SELECT count(*) FROM (SELECT 1 FROM turn_fts CROSS JOIN turn t ON t.rowid = turn_fts.rowid
            CROSS JOIN session s ON s.id = t.session_id WHERE turn_fts MATCH ? AND {which.where} LIMIT ?)""",
        (match, *which.values, most),
    ).get
    return driver.number(found)
