"""Finding entries: lists and searches. A project is given by its name or path; global entries come with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from memd.api import embeddings, records, storage
from memd.api.records import Record
from memd.clock import parse_when
from memd.db import keyword
from memd.db.driver import Connection
from memd.db.vectors import Lane, Vectors
from memd.memory import nearest, search, table
from memd.memory.entry import LEVELS, TYPES
from memd.memory.search import Question
from memd.memory.which import Which
from memd.ranking import fusion

T = TypeVar("T", bound=str)

_PERIOD = re.compile(r"\d+\s*[hdw]")


def search_entries(
    conn: Connection,
    query: str,
    limit: int = 20,
    entry_type: str | None = None,
    *,
    project: str | None = None,
    branch: str | None = None,
    include_superseded: bool = False,
) -> list[Record]:
    """Entries with words of the query, best first."""
    asked = records.projects(conn, project)
    which = _which(asked, branch, entry_type, include_superseded=include_superseded)
    found = search.find(
        conn, _question(query, which, limit, "keyword"), Lane(Vectors()), keyword.plan(conn, query)
    )
    best = [one.row for one in fusion.best(found.ranked(), limit)]
    entries = table.by_ids(conn, best)
    return [records.of_entry(entries[row], asked) for row in best]


def vector_search_entries(
    conn: Connection,
    query: str,
    limit: int = 20,
    entry_type: str | None = None,
    *,
    project: str | None = None,
    branch: str | None = None,
    include_superseded: bool = False,
) -> list[Record]:
    """The entries nearest in meaning, each with its ``similarity`` from 0 to 1; none while there is no model."""
    meant = embeddings.question(conn, query)
    if meant is None:
        return []
    asked = records.projects(conn, project)
    where, values = _which(asked, branch, entry_type, include_superseded=include_superseded).condition()
    near = dict(nearest.nearest(conn, *meant, limit, where, values))
    entries = table.by_ids(conn, list(near))
    return [
        {**records.of_entry(entries[row], asked), "similarity": max(0.0, cosine)}
        for row, cosine in near.items()
    ]


def hybrid_search(
    conn: Connection,
    query: str,
    limit: int = 20,
    entry_type: str | None = None,
    *,
    project: str | None = None,
    branch: str | None = None,
    include_superseded: bool = False,
) -> list[Record]:
    """What words and meaning find together, each with its ``relevance``, for ``rank_results`` to rank and cut.

    It is the similarity where meaning found it, 0.3 where words alone did. Up to twice the limit come of each.
    """
    asked = records.projects(conn, project)
    which = _which(asked, branch, entry_type, include_superseded=include_superseded)
    question = _question(query, which, limit, "hybrid")
    meant = embeddings.question(conn, query)
    lane = Lane(Vectors(), *meant) if meant else Lane(Vectors())
    relevances = search.seed_relevances(search.look(conn, question, lane), question)
    entries = table.by_ids(conn, list(relevances))
    return [
        {**records.of_entry(entries[row], asked), "relevance": relevance}
        for row, relevance in relevances.items()
    ]


def list_entries(
    conn: Connection,
    limit: int = 20,
    entry_type: str | None = None,
    since: str | None = None,
    *,
    project: str | None = None,
    branch: str | None = None,
    scope: str | None = None,
    include_superseded: bool = False,
) -> list[Record]:
    """Entries, those seen last first. ``since`` is a period such as 24h, 7d, 1w; ``scope`` goes before ``project``."""
    asked = None if scope else records.projects(conn, project)
    which = _which(asked, branch, entry_type, since, scope, include_superseded)
    return [records.of_entry(entry, asked) for entry in table.listing(conn, which, limit)]


def list_projects(conn: Connection) -> list[str]:
    """The names of the projects that live entries are of."""
    return table.projects(conn, Which())


def _question(query: str, which: Which, limit: int, mode: str) -> Question:
    return Question(query, storage.now_ms(), which, limit=limit, mode=mode)


def _which(
    asked: dict[int, str] | None,
    branch: str | None,
    entry_type: str | None,
    since: str | None = None,
    scope: str | None = None,
    include_superseded: bool = False,
) -> Which:
    since = since.strip().lower() if since else ""
    return Which(
        projects=None if asked is None else list(asked),
        branch=branch if asked is not None else None,  # without a project there is no filter of scopes
        type=_one_of(TYPES, entry_type, "entry_type"),
        level=_one_of(LEVELS, scope, "scope"),
        since_ms=parse_when(since, storage.now_ms()) if _PERIOD.fullmatch(since) else None,
        include_superseded=include_superseded,
    )


def _one_of(allowed: Sequence[T], given: str | None, what: str) -> T | None:
    if given is None:
        return None
    for one in allowed:
        if one == given:
            return one
    raise ValueError(f"{what} is one of {', '.join(allowed)}, not {given!r}")
