"""Kinds that stand still, each with why and since when: none of their jobs is claimed. Their SQL.

A pause by a person stays until a person lifts it; one that memd made itself ends at its time, or at the next start.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memd.db.driver import Connection


@dataclass(frozen=True, slots=True)
class Paused:
    """A kind that stands still; ``until_ms`` is None where nothing but a person or the next start lifts it."""

    kind: str
    reason: str
    since_ms: int
    until_ms: int | None
    automatic: bool


def pause(
    connection: Connection,
    kind: str,
    reason: str,
    now_ms: int,
    *,
    until_ms: int | None = None,
    automatic: bool,
) -> None:
    """Hold a whole kind; what runs ends. memd itself changes nothing of a pause that a person made."""
    connection.execute(
        """INSERT INTO job_pause (kind, reason, since_ms, until_ms, automatic) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (kind) DO UPDATE SET reason = excluded.reason, until_ms = excluded.until_ms,
             automatic = excluded.automatic WHERE automatic OR NOT excluded.automatic""",
        (kind, reason, now_ms, until_ms, automatic),
    )
    connection.execute(
        "UPDATE job SET state = 'paused', updated_ms = ? WHERE kind = ? AND state IN ('queued', 'retry')",
        (now_ms, kind),
    )


def resume(connection: Connection, kind: str, now_ms: int) -> bool:
    """Let a kind go on at once; True where it was paused."""
    connection.execute("DELETE FROM job_pause WHERE kind = ?", (kind,))
    was = connection.changes() == 1
    connection.execute(
        "UPDATE job SET state = 'queued', run_at_ms = ?1, updated_ms = ?1 WHERE kind = ?2 AND state = 'paused'",
        (now_ms, kind),
    )
    return was


def lift(connection: Connection, kinds: Collection[str], now_ms: int, *, due: bool) -> list[str]:
    """Resume those of the kinds that memd paused itself (with ``due``: whose time has come); which."""
    ready = [
        paused.kind
        for paused in listing(connection)
        if paused.automatic
        and paused.kind in kinds
        and (not due or (paused.until_ms is not None and paused.until_ms <= now_ms))
    ]
    for kind in ready:
        resume(connection, kind, now_ms)
    return ready


def of(connection: Connection, kind: str) -> Paused | None:
    """How a kind stands still; None where it does not."""
    return next((paused for paused in listing(connection) if paused.kind == kind), None)


def listing(connection: Connection) -> list[Paused]:
    """Every kind that stands still."""
    rows = connection.execute(
        "SELECT kind, reason, since_ms, until_ms, automatic FROM job_pause ORDER BY kind"
    )
    return [
        Paused(kind, reason, since, until, bool(automatic)) for kind, reason, since, until, automatic in rows
    ]
