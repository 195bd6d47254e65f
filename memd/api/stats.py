"""Figures of the memory: how much there is, what has vectors, what reflection has yet to see. No model is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memd.api import embeddings
from memd.api.reflection import count_unreflected, get_last_reflected_at
from memd.db.driver import Connection
from memd.memory import stats
from memd.turns import serving


@dataclass(frozen=True, slots=True)
class MemoryStats(stats.MemoryStats):
    """Figures of all entries, the provider that is configured, and what reflection of all projects has yet to see."""

    provider: str
    model: str
    dim: int
    unreflected: int
    last_reflected_at: datetime | None


def collect_stats(conn: Connection) -> MemoryStats:
    """The figures of this moment."""
    placed = serving.serving(conn)
    found = stats.collect(conn, placed.id if placed else None)
    return MemoryStats(
        total=found.total,
        by_type=found.by_type,
        by_class=found.by_class,
        by_scope=found.by_scope,
        by_project=found.by_project,
        superseded=found.superseded,
        retired=found.retired,
        embedded=found.embedded,
        provider=embeddings.provider_name(),
        model=embeddings.model(),
        dim=embeddings.dimension(),
        unreflected=count_unreflected(conn),
        last_reflected_at=get_last_reflected_at(conn),
    )
