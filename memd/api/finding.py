"""Finding entries: lists and searches. A project is given by its name or path; global entries come with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from memd.api import records, storage
from memd.api.records import Record
from memd.clock import parse_when
from memd.db.driver import Connection
from memd.memory import table
from memd.memory.entry import LEVELS, TYPES
from memd.memory.which import Which

T = TypeVar("T", bound=str)

_PERIOD = re.compile(r"\d+\s*[hdw]")


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
        branch=branch,
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
