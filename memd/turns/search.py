"""Searching turns: a keyword lane and a vector lane, fused by normalised scores, above a floor of relevance.

A question whose words no turn holds, and to which no text is near, finds nothing. Pure but for the connection that is
handed in; the question's vector is handed in too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.clock import iso
from memd.db import driver, keyword, turn_changes, vectors
from memd.db.driver import Connection, Value
from memd.db.keyword import Filter, Plan
from memd.db.vector_tables import Among
from memd.db.vectors import Lane, Vectors
from memd.ranking import fusion
from memd.ranking.floor import floor
from memd.ranking.fusion import Candidate, Ranked, Scale
from memd.text.snippet import snippet
from memd.turns import late
from memd.turns.measured import measured

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

LANE = 100  # candidates of each lane
NEAREST = 200  # texts that meaning brings: more than a lane, for the turns of some are left out
ASKING = 2_000  # bytes up to which a text that ends in a question mark is a question


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and among which turns. ``project_ids`` None means all.

    Of the sessions ``apart_from`` only what was said before ``but_before_ms``, if anything, is looked at. ``nearest``
    is how many texts meaning brings: who wants but a few of the best asks for fewer, which costs less.
    """

    text: str
    limit: int = 10
    mode: str = "hybrid"
    project_ids: Sequence[int] | None = None
    branch: str | None = None
    session: str | None = None
    role: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    subagents: bool = False
    other_branches: bool = False
    apart_from: Sequence[str] = ()
    but_before_ms: int | None = None
    nearest: int = NEAREST


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn that was found. ``score`` ranks, ``relevance`` is its lanes' share from 0 to 1."""

    id: str
    score: float
    relevance: float
    lanes: Sequence[str]
    text: str
    snippet: str
    role: str
    project: str | None
    branch: str | None
    session_id: str
    uuid: str | None
    created_at: str | None
    agent_id: str | None
    kind: str = "turn"
    type: str | None = None
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """Hits, best first, and how many turns hold the question's words outside its project."""

    hits: Sequence[Hit] = field(default_factory=tuple)
    outside: int = 0


@dataclass(frozen=True, slots=True)
class ByWords:
    """What the words of a question bring, by row; and the plan and the filter that brought it.

    It can be looked for while a model finds out what the question means. ``changes`` says of which turns it holds.
    """

    plan: Plan
    which: Filter
    scores: Mapping[int, float]
    changes: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the lanes found, by row: their scores put together, and the final ones with what is added to those.

    ``met`` is how well the tokens of a turn meet the question's, where both are known.
    """

    plan: Plan
    candidates: Sequence[Candidate]
    on: Scale
    relevances: Mapping[int, float]
    met: Mapping[int, float]
    scores: Mapping[int, float]
    lifted: Mapping[int, float]

    def ranked(self) -> list[Ranked]:
        """Every turn with its final score."""
        return [Ranked("turn", c.row, self.lifted[c.row], c.at_ms) for c in self.candidates]

    def explained(self, row: int) -> dict[str, object]:
        """What made the score of a turn."""
        (c,) = [c for c in self.candidates if c.row == row]
        alone = fusion.own(c, self.scores[row])
        return {
            "bm25": c.bm25,
            "cosine": c.cosine,
            "words": round(self.on.of_words(c), 6),
            "meaning": round(self.on.of_meaning(c), 6),
            "tokens": self.met.get(row),
            "length": round(fusion.length_prior(c.size), 6),
            "asks": c.asks,
            "surroundings": round(self.lifted[row] - alone, 6),
        }


def search(
    connection: Connection, question: Question, known: Vectors, space: int | None, vector: Vector | None
) -> Results:
    """The hits of a question; without a vector (or a space) the words answer alone."""
    with connection:  # one snapshot for every statement
        found = find(connection, question, Lane(known, space, vector))
        best = fusion.best(found.ranked(), question.limit)
        made = hits(connection, found, [one.row for one in best])
        beyond = outside(connection, question, found.plan)
    return Results(made, beyond)


def by_words(connection: Connection, question: Question) -> ByWords:
    """The turns that the words of a question bring."""
    which = measured(connection, condition(question))
    plan = keyword.plan(connection, question.text)
    scores = keyword.search(connection, plan, which, LANE) if question.mode != "vector" else {}
    return ByWords(plan, which, scores, turn_changes.count(connection))


def find(connection: Connection, question: Question, lane: Lane, known: ByWords | None = None) -> Found:
    """The turns that the lanes found, ranked. What is ``known`` by words is looked for again where turns changed."""
    if known is None or known.changes != turn_changes.count(connection):
        known = by_words(connection, question)
    plan = known.plan
    candidates, places = _found(connection, question, known, lane)
    on = fusion.scale(candidates)
    relevances = fusion.convex(candidates, on)
    met = late.met(connection, plan, lane, places) if question.mode == "hybrid" else {}
    scores = fusion.late(candidates, on, met) if met else relevances
    return Found(plan, candidates, on, relevances, met, scores, fusion.surrounded(candidates, scores))


def _found(
    connection: Connection, question: Question, known: ByWords, lane: Lane
) -> tuple[list[Candidate], Mapping[int, int]]:
    """What the lanes found, each turn with the scores of both; and of each turn its text."""
    space, vector = lane.space, lane.vector
    plan, which, words = known.plan, known.which, known.scores
    if space is None or vector is None or question.mode == "keyword":
        places = _places(connection, which, words, ())
        return _candidates(connection, places, words, {}), places
    among = Among(which.where, which.values, which.few) if which.values else None
    cosines = dict(lane.vectors.nearest(connection, space, vector, question.nearest, among))
    least = floor(plan.costs.values(), len(plan.unknown), meaning_alone=question.mode == "vector")
    near = [content for content, cosine in cosines.items() if cosine >= least]
    places = _places(connection, which, words, near)
    if cosines:
        unseen = sorted(set(places.values()) - cosines.keys())
        cosines |= vectors.cosines(connection, space, vector, unseen)
    return _candidates(connection, places, words, cosines), places


def condition(question: Question, *, project: bool = True) -> Filter:
    """The question's filters as a condition."""
    parts: list[str] = []
    values: list[Value] = []
    if project and question.project_ids is not None:
        parts.append(f"s.project_id IN ({','.join('?' * len(question.project_ids))})")
        values.extend(question.project_ids)
    for clause, value in (
        ("coalesce(t.branch, s.branch) = ?", question.branch),
        ("s.key = ?", question.session),
        ("t.role = ?", question.role),
        ("t.sort_ms >= ?", question.since_ms),
        ("t.sort_ms < ?", question.until_ms),
    ):
        if value is not None:
            parts.append(clause)
            values.append(value)
    if question.apart_from:
        marks = ",".join("?" * len(question.apart_from))
        parts.append(f"(s.key NOT IN ({marks}) OR t.sort_ms < ?)")
        values += [*question.apart_from, question.but_before_ms]
    if not question.other_branches:
        parts.append("t.hidden = 0")
    if not question.subagents:
        parts.append("t.agent_id IS NULL")
    return Filter(" AND ".join(parts) or "1", values, narrow=len(values) > (question.role is not None))


def outside(connection: Connection, question: Question, plan: Plan) -> int:
    """How many turns that the other filters let pass hold the words in other projects than the question's."""
    inside = question.project_ids
    if inside is None:
        return 0
    rest = condition(question, project=False)
    elsewhere = f"(s.project_id IS NULL OR s.project_id NOT IN ({','.join('?' * len(inside))}))"
    which = Filter(f"{elsewhere} AND {rest.where}", [*inside, *rest.values], narrow=True)
    return keyword.outside(connection, plan, which)


def _places(
    connection: Connection, which: Filter, words: Mapping[int, float], near: Sequence[int]
) -> dict[int, int]:
    """The rows that words found and the newest row of each near text, a lane's worth; each with its text's id."""
    places = _pairs(connection.execute(f"SELECT rowid, content_id FROM turn WHERE rowid IN ({_list(words)})"))
    found = _pairs(
        connection.execute(
            f"""SELECT t.content_id, max(t.rowid) FROM turn t LEFT JOIN session s ON s.id = t.session_id
                WHERE t.content_id IN ({_list(near)}) AND {which.where} GROUP BY t.content_id""",
            tuple(which.values),
        )
    )
    for content in [content for content in near if content in found][:LANE]:
        places[found[content]] = content
    return places


def _candidates(
    connection: Connection,
    places: Mapping[int, int],
    words: Mapping[int, float],
    cosines: Mapping[int, float],
) -> list[Candidate]:
    """The turns at those places, each with its lanes' scores and its place in its session."""
    rows = connection.execute(
        f"""SELECT t.rowid, t.session_id, octet_length(c.text), coalesce(t.sort_ms, 0),
              octet_length(c.text) <= {ASKING} AND substr(rtrim(c.text), -1) IN ('?', '？'),
              (SELECT p.rowid FROM turn p WHERE p.session_id = t.session_id AND p.seq < t.seq
               ORDER BY p.seq DESC LIMIT 1)
            FROM turn t CROSS JOIN content c ON c.id = t.content_id WHERE t.rowid IN ({_list(places)})"""
    )
    return [
        Candidate(
            row=row,
            session=session,
            size=size,
            before=before,
            bm25=words.get(row),
            cosine=cosines.get(places[row]),
            at_ms=at_ms,
            asks=bool(asks),
        )
        for row, session, size, at_ms, asks, before in rows
    ]


def _pairs(rows: Iterable[Sequence[Value]]) -> dict[int, int]:
    return {driver.number(key): driver.number(value) for key, value in rows}


def hits(connection: Connection, found: Found, turns: Sequence[int]) -> list[Hit]:
    """The hits in those rows, in that order."""
    rows = connection.execute(
        f"""SELECT t.rowid, t.id, t.uuid, s.key, t.role, c.text, t.at_ms, p.path,
              coalesce(t.branch, s.branch), t.agent_id
            FROM turn t JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
            LEFT JOIN project p ON p.id = s.project_id WHERE t.rowid IN ({_list(turns)})"""
    )
    told = {driver.number(row[0]): row for row in rows}
    by_row = {c.row: c for c in found.candidates}
    made: list[Hit] = []
    for row in turns:
        _, turn_id, uuid, session, role, text, at_ms, project, branch, agent = told[row]
        made.append(
            Hit(
                id=str(turn_id),
                score=round(found.lifted[row], 6),
                relevance=round(min(1.0, found.relevances[row]), 6),
                lanes=fusion.lanes(by_row[row]),
                text=str(text),
                snippet=snippet(str(text), found.plan.words),
                role=str(role),
                project=None if project is None else str(project),
                branch=None if branch is None else str(branch),
                session_id=str(session),
                uuid=None if uuid is None else str(uuid),
                created_at=None if at_ms is None else iso(driver.number(at_ms)),
                agent_id=None if agent is None else str(agent),
            )
        )
    return made


def _list(numbers: Mapping[int, float] | Sequence[int]) -> str:
    return ",".join(str(int(number)) for number in numbers)
