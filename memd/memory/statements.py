"""Finding statements, which are entries or sections of memory files: the lanes, put together.

What may be found is a condition inside both lanes. Pure but for the connection that is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memd.db import bm25, driver, fts, keyword, vector_tables, vectors
from memd.db.driver import Connection
from memd.db.fts import Index
from memd.db.keyword import Filter, Plan
from memd.db.vector_tables import Among, VectorTable
from memd.db.vectors import Lane
from memd.ranking import fusion, statements
from memd.ranking.floor import floor
from memd.ranking.fusion import Candidate, Ranked, Scale
from memd.ranking.statements import Statement

LANE = 40  # candidates of each lane
FEW = 2_000  # that pass a condition: each is compared
COMPARED = 20  # of the best by their own scores, beside turns


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where statements of a kind stand: their text index, their vectors."""

    kind: str
    index: Index
    vectors: VectorTable


ENTRIES = Shelf("entry", fts.ENTRIES, vector_tables.ENTRIES)
SECTIONS = Shelf("native", fts.SECTIONS, vector_tables.SECTIONS)


@dataclass(frozen=True, slots=True)
class Lanes:
    """What the lanes found: bm25 (higher is better) and cosine by row."""

    plan: Plan
    words: Mapping[int, float]
    cosines: Mapping[int, float]

    @property
    def rows(self) -> list[int]:
        """Everything that was found."""
        return sorted(self.words.keys() | self.cosines.keys())


@dataclass(frozen=True, slots=True)
class Found:
    """Statements with their scores among each other, and the factor by which they stand beside turns."""

    shelf: Shelf
    plan: Plan
    candidates: Sequence[Statement]
    on: Scale
    scores: Mapping[int, float]
    factor: float = 1.0

    def ranked(self) -> list[Ranked]:
        """Every statement with its final score."""
        final = statements.ranked(self.candidates, self.scores)
        return [Ranked(self.shelf.kind, c.row, self.factor * final[c.row], c.at_ms) for c in self.candidates]

    def relevance(self, row: int) -> float:
        """The lanes' share of the score, from 0 to 1."""
        return round(min(1.0, self.factor * self.scores[row]), 6)

    def explained(self, row: int) -> dict[str, object]:
        """What made the score of a statement."""
        (c,) = [c for c in self.candidates if c.row == row]
        return {
            "bm25": c.bm25,
            "cosine": c.cosine,
            "words": round(self.on.of_words(c), 6),
            "meaning": round(self.on.of_meaning(c), 6),
            "length": round(fusion.length_prior(c.size), 6),
            "fresh": round(c.fresh, 6),
            "beside_turns": round(self.factor, 6),
        }


def look(
    connection: Connection,
    shelf: Shelf,
    query: str,
    mode: str,
    where: Filter,
    lane: Lane,
    most: int,
) -> Lanes:
    """What each lane finds by itself, so many of each."""
    plan = keyword.plan(connection, query, shelf.index)
    which = _measured(connection, shelf, where)
    words = keyword.search(connection, plan, which, most) if mode != "vector" else {}
    if lane.space is None or lane.vector is None or mode == "keyword":
        return Lanes(plan, words, {})
    among = Among(
        which.where, which.values, which.few, fill=most // 2
    )  # twice what is asked for is looked for
    near = lane.vectors.nearest(connection, lane.space, lane.vector, most, among, shelf.vectors)
    return Lanes(plan, words, dict(near))


def _measured(connection: Connection, shelf: Shelf, which: Filter) -> Filter:
    """The filter, and whether so few pass it that each can be looked at."""
    rows = shelf.vectors.rows(Among(which.where, which.values, few=False))
    query = f"SELECT count(*) FROM (SELECT 1 {rows} LIMIT ?)"
    count = driver.number(connection.execute(query, (*which.values, FEW + 1)).get)
    return replace(which, few=count <= FEW)  # not narrow: an index of statements may be read whole


def above_floor(
    connection: Connection, shelf: Shelf, found: Lanes, mode: str, lane: Lane, told: Plan
) -> Lanes:
    """Without what is near to the question only by chance; ``told``: what the index of turns knows of its words."""
    known = (found.plan.costs, told.costs)
    counts = {term: sum(costs.get(term, 0) for costs in known) for costs in known for term in costs}
    unknown = [term for term in found.plan.unknown if term in told.unknown]
    least = floor(counts.values(), len(unknown), meaning_alone=mode == "vector")
    near = {row: cosine for row, cosine in found.cosines.items() if cosine >= least or row in found.words}
    unseen = sorted(found.words.keys() - near.keys())
    if lane.space is not None and lane.vector is not None and found.cosines:
        near |= vectors.cosines(connection, lane.space, lane.vector, unseen, shelf.vectors)
    return Lanes(found.plan, found.words, near)


def rank(shelf: Shelf, plan: Plan, candidates: Sequence[Statement]) -> Found:
    """Statements on the scale of the best of them."""
    on = fusion.scale(candidates)
    return Found(shelf, plan, candidates, on, fusion.convex(candidates, on))


def beside(
    connection: Connection,
    found: Found,
    turns: Sequence[Candidate],
    told: Plan,
    texts: Callable[[Connection, Sequence[int]], Mapping[int, str]],
) -> Found:
    """The same beside turns: words weigh what they weigh among those, and the best turn sets the scale."""
    first = sorted(found.candidates, key=lambda one: -found.scores[one.row])[:COMPARED]
    if not turns or not first:
        return found
    weighed = bm25.scores(connection, told, texts(connection, [one.row for one in first]))
    alike = [replace(one, bm25=weighed[one.row] if one.bm25 is not None else None) for one in first]
    on = fusion.scale(turns, alike)
    return replace(found, factor=statements.factor(found.scores, fusion.convex(alike, on)))
