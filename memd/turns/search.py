"""Searching turns: a keyword lane and a vector lane, fused by normalised scores, above a floor of relevance.

A question whose words no turn holds, and to which no text is near, finds nothing. Pure but for the connection that is
handed in; the question's vector is handed in too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memd.clock import iso
from memd.db import driver
from memd.db.driver import Connection, Value
from memd.db.vectors import Among, Vectors
from memd.ranking import fusion
from memd.ranking.fusion import Candidate
from memd.turns import keyword
from memd.turns.keyword import Filter, Plan
from memd.turns.snippet import snippet

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

LANE = 100  # candidates of each lane
NEAREST = 200  # texts that meaning brings: more than a lane, for the turns of some are left out
FEW_TURNS = 8_000
RARE = 5  # a word that so few turns hold is looked for itself

# Cosines to the bundled model's question vectors: what is nearer than NEAR may be a hit without sharing a word.
NEAR = 0.25
NEAR_TO_UNKNOWN = 0.42
NEAR_TO_WORD = 0.5
UNREACHED = 2.0
ASKING = 2_000  # bytes up to which a text that ends in a question mark is a question


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and among which turns. ``project_ids`` None means all."""

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


NOTHING = Results()


def search(
    connection: Connection, question: Question, vectors: Vectors, space: int | None, vector: Vector | None
) -> Results:
    """The hits of a question; without a vector (or a space) the words answer alone."""
    with connection:  # one snapshot for every statement
        found = rank(connection, question, vectors, space, vector)
        hits = _hits(connection, found)
        outside = _outside(connection, question, found.plan)
    return Results(hits, outside)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best candidates of a question, best first, with their scores: from the lanes alone, and with surroundings."""

    plan: Plan
    best: Sequence[Candidate]
    scores: Mapping[int, float]
    ranked: Mapping[int, float]


def rank(
    connection: Connection, question: Question, vectors: Vectors, space: int | None, vector: Vector | None
) -> Ranking:
    """The turns that bear on a question, by their rows."""
    which = measured(connection, condition(question))
    plan = keyword.plan(connection, question.text)
    candidates = _found(connection, question, plan, which, _Lane(vectors, space, vector))
    scores = fusion.convex(candidates)
    ranked = fusion.surrounded(candidates, scores)
    return Ranking(plan, fusion.best(candidates, ranked, question.limit), scores, ranked)


@dataclass(frozen=True, slots=True)
class _Lane:
    """What the vector lane needs; without a space or a vector it is off."""

    vectors: Vectors
    space: int | None
    vector: Vector | None


def _found(
    connection: Connection, question: Question, plan: Plan, which: Filter, lane: _Lane
) -> list[Candidate]:
    """What the lanes found, each turn with the scores of both."""
    space, vector = lane.space, lane.vector
    words = keyword.search(connection, plan, which, LANE) if question.mode != "vector" else {}
    if space is None or vector is None or question.mode == "keyword":
        return _candidates(connection, _places(connection, which, words, ()), words, {})
    among = Among(which.where, which.values, which.few) if which.values else None
    cosines = dict(lane.vectors.nearest(connection, space, vector, NEAREST, among))
    floor = _floor(plan, question)
    near = [content for content, cosine in cosines.items() if cosine >= floor]
    places = _places(connection, which, words, near)
    if cosines:
        unseen = sorted(set(places.values()) - cosines.keys())
        cosines |= lane.vectors.cosines(connection, space, vector, unseen)
    return _candidates(connection, places, words, cosines)


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
    if not question.other_branches:
        parts.append("t.hidden = 0")
    if not question.subagents:
        parts.append("t.agent_id IS NULL")
    return Filter(" AND ".join(parts) or "1", values, narrow=len(values) > (question.role is not None))


def measured(connection: Connection, which: Filter) -> Filter:
    """The filter with what is known of its turns where they are few: between which rows they stand."""
    if not which.narrow:
        return which
    count, first, last = connection.execute(
        f"""SELECT count(*), min(place), max(place) FROM (SELECT t.rowid AS place
            FROM turn t JOIN session s ON s.id = t.session_id WHERE {which.where} LIMIT ?)""",
        (*which.values, FEW_TURNS + 1),
    ).get
    if count > FEW_TURNS:
        return which
    return replace(which, few=True, first=first or 0, last=last or 0)


def _outside(connection: Connection, question: Question, plan: Plan) -> int:
    """How many turns that the other filters let pass hold the words in other projects than the question's."""
    inside = question.project_ids
    if inside is None:
        return 0
    rest = condition(question, project=False)
    elsewhere = f"(s.project_id IS NULL OR s.project_id NOT IN ({','.join('?' * len(inside))}))"
    which = Filter(f"{elsewhere} AND {rest.where}", [*inside, *rest.values], narrow=True)
    return keyword.outside(connection, plan, which)


def _floor(plan: Plan, question: Question) -> float:
    """How near a text must be to be a hit without a word in common; what is asked in unknown words needs more."""
    terms = len(plan.costs) + plan.unknown
    if not plan.costs:
        return NEAR_TO_UNKNOWN
    if question.mode == "vector":
        return NEAR
    if terms == 1:
        return UNREACHED if next(iter(plan.costs.values())) <= RARE else NEAR_TO_WORD
    return NEAR_TO_UNKNOWN if plan.unknown * 2 > terms else NEAR


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


def _hits(connection: Connection, found: Ranking) -> list[Hit]:
    rows = connection.execute(
        f"""SELECT t.rowid, t.id, t.uuid, s.key, t.role, c.text, t.at_ms, p.path,
              coalesce(t.branch, s.branch), t.agent_id
            FROM turn t JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
            LEFT JOIN project p ON p.id = s.project_id WHERE t.rowid IN ({_list([c.row for c in found.best])})"""
    )
    at = {driver.number(row[0]): row for row in rows}
    words = [stem for term in found.plan.known for stem in (*term.words, *term.stems)]
    hits: list[Hit] = []
    for c in found.best:
        _, turn_id, uuid, session, role, text, at_ms, project, branch, agent = at[c.row]
        lanes = [name for name, score in (("keyword", c.bm25), ("vector", c.cosine)) if score is not None]
        hits.append(
            Hit(
                id=str(turn_id),
                score=round(found.ranked[c.row], 6),
                relevance=round(min(1.0, found.scores[c.row]), 6),
                lanes=lanes,
                text=str(text),
                snippet=snippet(str(text), words),
                role=str(role),
                project=None if project is None else str(project),
                branch=None if branch is None else str(branch),
                session_id=str(session),
                uuid=None if uuid is None else str(uuid),
                created_at=None if at_ms is None else iso(driver.number(at_ms)),
                agent_id=None if agent is None else str(agent),
            )
        )
    return hits


def _list(numbers: Mapping[int, float] | Sequence[int]) -> str:
    return ",".join(str(int(number)) for number in numbers)
