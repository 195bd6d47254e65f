"""The schedule: ticks that ask for jobs. A missed tick is just a later tick; what is to be done is in the tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memd.jobs import kinds

Enqueue = Callable[[str, str], Awaitable[int]]


def start(enqueue: Enqueue, *, space: int | None) -> AsyncIOScheduler:
    """The running scheduler: a daily clean-up, and an hourly look at the backlog of vectors.

    Intervals are counted from the start; after a jump of the clock each runs once at most.
    """
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )
    scheduler.add_job(enqueue, "interval", args=(kinds.PRUNE, "daily"), hours=24, id=kinds.PRUNE)
    if space is not None:
        scheduler.add_job(
            enqueue, "interval", args=(kinds.EMBED_TURNS, str(space)), hours=1, id=kinds.EMBED_TURNS
        )
    scheduler.start()
    return scheduler
