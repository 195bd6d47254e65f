"""The composite score, over the records that searches give."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.api.records import Record
from memd.memory import scoring
from memd.memory.entry import MemoryClass, MemoryScope

W_RECENCY = scoring.DEFAULT.weights.recency
W_IMPORTANCE = scoring.DEFAULT.weights.importance
W_RELEVANCE = scoring.DEFAULT.weights.relevance
SCOPE_BOOST_GLOBAL = scoring.DEFAULT.boosts.global_
SCOPE_BOOST_CROSS_PROJECT = scoring.DEFAULT.boosts.cross_project

_ASKED, _OTHER = 1, 2


def recency_score(
    created_at: str | datetime, now: datetime | None = None, *, memory_class: str | None = None
) -> float:
    """From 1, now, down by half with every half-life of the class; 0 where the time cannot be read."""
    created = _moment(created_at)
    if created is None:
        return 0.0
    return scoring.recency_score(_ms(created), _ms(_now(now)), _class(memory_class))


def importance_score(importance: int) -> float:
    """From 0, the least important, to 1."""
    return scoring.importance_score(importance)


def scope_boost(
    entry_scope: str,
    entry_project: str | None,
    entry_branch: str | None,
    *,
    query_project: str | None = None,
    query_branch: str | None = None,
) -> float:
    """How near the place where an entry holds is to the place of the question; 1 where that is anywhere."""
    if query_project is None:
        return scoring.DEFAULT.boosts.same
    holds = MemoryScope()
    if entry_scope != "global" and entry_project is not None:
        row = _ASKED if entry_project == query_project else _OTHER
        holds = MemoryScope(row, entry_branch if entry_scope == "branch" else None)
    return scoring.scope_boost(holds, MemoryScope(_ASKED, query_branch))


def composite_score(
    created_at: str | datetime,
    importance: int,
    relevance: float = scoring.UNKNOWN,
    *,
    memory_class: str | None = None,
    entry_scope: str | None = None,
    entry_project: str | None = None,
    entry_branch: str | None = None,
    query_project: str | None = None,
    query_branch: str | None = None,
    w_recency: float = W_RECENCY,
    w_importance: float = W_IMPORTANCE,
    w_relevance: float = W_RELEVANCE,
    now: datetime | None = None,
) -> float:
    """The weighted sum of recency, importance and relevance; times the boost where the entry's scope is given."""
    score = (
        w_recency * recency_score(created_at, now, memory_class=memory_class)
        + w_importance * importance_score(importance)
        + w_relevance * relevance
    )
    if entry_scope is None:
        return score
    return score * scope_boost(
        entry_scope, entry_project, entry_branch, query_project=query_project, query_branch=query_branch
    )


def rank_results(
    results: list[Record],
    *,
    limit: int,
    query_project: str | None = None,
    query_branch: str | None = None,
) -> list[tuple[float, Record]]:
    """Each record with its score, best first, ``limit`` of them; equal ones stay in their order."""
    now = _now(None)
    scored = [
        (
            composite_score(
                result["created_at"],
                result["importance"],
                result.get("relevance", scoring.UNKNOWN),
                memory_class=result.get("memory_class"),
                entry_scope=result.get("scope"),
                entry_project=result.get("project"),
                entry_branch=result.get("branch"),
                query_project=query_project,
                query_branch=query_branch,
                now=now,
            ),
            result,
        )
        for result in results
    ]
    return sorted(scored, key=lambda pair: -pair[0])[: max(0, limit)]


def _class(name: str | None) -> MemoryClass | None:
    match name:
        case "episodic" | "semantic" | "procedural":
            return name
    return None


def _now(now: datetime | None) -> datetime:
    return datetime.now(UTC) if now is None else _aware(now)


def _moment(time: str | datetime) -> datetime | None:
    try:
        return _aware(time if isinstance(time, datetime) else datetime.fromisoformat(time))
    except (TypeError, ValueError):
        return None


def _aware(time: datetime) -> datetime:
    """A time without a zone is UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)
