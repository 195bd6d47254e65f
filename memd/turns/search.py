"""Searching turns: a keyword lane and a vector lane, fused by normalised scores, above a floor of relevance.

A question whose words no turn holds, and to which no text is near, finds nothing. Pure but for the connection that is
handed in; the question's vector is handed in too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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

LANE = 300  # candidates of each lane
FEW_TURNS = 20_000
RARE = 5  # a word that so few turns hold is looked for itself

# Cosines to the bundled model's question vectors: what is nearer than NEAR may be a hit without sharing a word.
NEAR = 0.25
NEAR_TO_UNKNOWN = 0.42
NEAR_TO_WORD = 0.5


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
    which = _filter(question)
    plan = keyword.plan(connection, question.text)
    words = keyword.search(connection, plan, which, LANE) if question.mode != "vector" else {}
    near: dict[int, float] = {}
    if vector is not None and space is not None and question.mode != "keyword":
        among = _among(connection, question, which)
        near = dict(vectors.nearest(connection, space, vector, LANE, among))
    candidates, texts = _candidates(connection, which, words, near)
    if vector is not None and space is not None and near:
        candidates = _with_cosines(
            candidates, texts, vectors.cosines(connection, space, vector, _unseen(texts, near))
        )
    candidates = _above_floor(candidates, plan, question)
    scores = fusion.convex(candidates)
    ranked = fusion.surrounded(candidates, scores)
    best = sorted(candidates, key=lambda c: (-round(ranked[c.row], 9), -c.row))[: question.limit]
    outside = keyword.outside(connection, plan, _beyond(question)) if question.project_ids is not None else 0
    return Results(_hits(connection, best, ranked, scores, plan), outside)


def _filter(question: Question, *, project: bool = True) -> Filter:
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
    return Filter(" AND ".join(parts) or "1", values)


def _beyond(question: Question) -> Filter:
    """The same filters in every other project."""
    inside = question.project_ids or ()
    rest = _filter(question, project=False)
    return Filter(
        f"(s.project_id IS NULL OR s.project_id NOT IN ({','.join('?' * len(inside))})) AND {rest.where}",
        [*inside, *rest.values],
    )


def _among(connection: Connection, question: Question, which: Filter) -> Among | None:
    """The vector lane's share of the filters; None where they leave out next to nothing."""
    narrow = (
        question.project_ids,
        question.branch,
        question.session,
        question.role,
        question.since_ms,
        question.until_ms,
    )
    if all(value is None for value in narrow):
        return None  # hidden and subagents' turns fall out when the candidates are read
    few = False
    if question.session is not None:
        few = True
    elif question.project_ids is not None:
        inside = question.project_ids
        query = (
            f"SELECT coalesce(sum(turns), 0) FROM session WHERE project_id IN ({','.join('?' * len(inside))})"
        )
        few = driver.number(connection.execute(query, tuple(inside)).get) <= FEW_TURNS
    query = f"SELECT t.content_id FROM turn t JOIN session s ON s.id = t.session_id WHERE {which.where}"
    return Among(query, which.values, few)


def _candidates(
    connection: Connection, which: Filter, words: Mapping[int, float], near: Mapping[int, float]
) -> tuple[list[Candidate], dict[int, int]]:
    """The turns that either lane found, each with its place in its session; and their texts' ids by row."""
    if not words and not near:
        return [], {}
    rows = connection.execute(
        f"""SELECT t.rowid, t.session_id, length(c.text), t.content_id,
              (SELECT p.rowid FROM turn p WHERE p.session_id = t.session_id AND p.seq < t.seq
               ORDER BY p.seq DESC LIMIT 1)
            FROM turn t JOIN session s ON s.id = t.session_id JOIN content c ON c.id = t.content_id
            WHERE (t.rowid IN ({_list(words)}) OR t.rowid IN (
              SELECT max(n.rowid) FROM turn n WHERE n.content_id IN ({_list(near)}) GROUP BY n.content_id, n.hidden
            )) AND {which.where}""",
        tuple(which.values),
    )
    candidates: list[Candidate] = []
    texts: dict[int, int] = {}
    for row, session, chars, content, before in rows:
        place = driver.number(row)
        texts[place] = driver.number(content)
        candidates.append(
            Candidate(
                row=place,
                session=driver.number(session),
                chars=driver.number(chars),
                before=None if before is None else driver.number(before),
                bm25=words.get(place),
                cosine=near.get(texts[place]),
            )
        )
    return candidates, texts


def _unseen(texts: Mapping[int, int], near: Mapping[int, float]) -> list[int]:
    return sorted({content for content in texts.values() if content not in near})


def _with_cosines(
    candidates: Sequence[Candidate], texts: Mapping[int, int], cosines: Mapping[int, float]
) -> list[Candidate]:
    """The candidates that words alone found get their cosine too: both scores of a turn count."""
    return [
        c
        if c.cosine is not None or texts[c.row] not in cosines
        else Candidate(c.row, c.session, c.chars, c.before, c.bm25, cosines[texts[c.row]])
        for c in candidates
    ]


def _above_floor(candidates: Sequence[Candidate], plan: Plan, question: Question) -> list[Candidate]:
    """Those that are hits by themselves: a word in common, or a meaning near enough for what is asked."""
    floor = NEAR
    if question.mode != "vector":
        if not plan.known:
            floor = NEAR_TO_UNKNOWN
        elif len(plan.terms) == 1:
            floor = 2.0 if plan.costs[0] <= RARE else NEAR_TO_WORD
        elif plan.unknown * 2 > len(plan.terms):
            floor = NEAR_TO_UNKNOWN
    return [c for c in candidates if c.bm25 is not None or (c.cosine is not None and c.cosine >= floor)]


def _hits(
    connection: Connection,
    best: Sequence[Candidate],
    ranked: Mapping[int, float],
    scores: Mapping[int, float],
    plan: Plan,
) -> list[Hit]:
    rows = connection.execute(
        f"""SELECT t.rowid, t.id, t.uuid, s.key, t.role, c.text, t.at_ms, p.path, coalesce(t.branch, s.branch), t.agent_id
            FROM turn t JOIN content c ON c.id = t.content_id JOIN session s ON s.id = t.session_id
            LEFT JOIN project p ON p.id = s.project_id WHERE t.rowid IN ({_list([c.row for c in best])})"""
    )
    found = {driver.number(row[0]): row for row in rows}
    words = [stem for term in plan.known for stem in (*term.words, *term.stems)]
    hits: list[Hit] = []
    for c in best:
        _, turn_id, uuid, session, role, text, at_ms, project, branch, agent = found[c.row]
        lanes = [name for name, score in (("keyword", c.bm25), ("vector", c.cosine)) if score is not None]
        hits.append(
            Hit(
                id=str(turn_id),
                score=round(ranked[c.row], 6),
                relevance=round(min(1.0, scores[c.row]), 6),
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
