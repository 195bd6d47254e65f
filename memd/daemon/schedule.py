"""The schedule: ticks that ask for jobs. A missed tick is just a later tick; what is to be done is in the tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memd.jobs import kinds

FIRST = timedelta(minutes=10)
Enqueue = Callable[[str, str], Awaitable[int]]


def start(
    enqueue: Enqueue, embed_soon: Callable[[], Awaitable[None]], backup_due: Callable[[], bool]
) -> AsyncIOScheduler:
    """The running scheduler: a daily clean-up, hourly looks at the backlogs of vectors, frequent ones at the backups.

    Intervals are counted from the start; after a jump of the clock each runs once at most.
    """
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )
    soon = datetime.now(UTC) + FIRST  # a machine that is never on for a day is tidied up, too
    scheduler.add_job(
        enqueue, "interval", args=(kinds.PRUNE, "daily"), hours=24, next_run_time=soon, id=kinds.PRUNE
    )
    scheduler.add_job(embed_soon, "interval", hours=1, id="embed")

    async def look_at_backups() -> None:
        if backup_due():
            await enqueue(kinds.BACKUP, "scheduled")

    scheduler.add_job(look_at_backups, "interval", seconds=FIRST.total_seconds(), id=kinds.BACKUP)
    scheduler.start()
    return scheduler
