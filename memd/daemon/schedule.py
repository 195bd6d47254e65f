"""The schedule: ticks that ask for jobs. A missed tick is just a later tick; what is to be done is in the tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

from memd.errors import ConfigError
from memd.jobs import kinds

FIRST = timedelta(minutes=10)
LOOK = timedelta(minutes=5)  # for sessions that are quiet, and for entries that are new
Enqueue = Callable[[str, str], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Reflections:
    """When to ask for reflections, as cron has it, and how; ``look`` asks for those that do not wait for that.

    ``observe`` asks for sessions to be read.
    """

    schedule: str
    daily: Callable[[], Awaitable[int]]
    look: Callable[[], Awaitable[int]]
    observe: Callable[[], Awaitable[int]]


def trigger(schedule: str) -> CronTrigger:
    """The times of a line of cron, by the machine's own clock. ConfigError where it is none."""
    try:
        return CronTrigger.from_crontab(schedule)
    except ValueError as error:
        raise ConfigError(
            f"reflection.schedule is {schedule!r}: {error}; five fields are asked for, as in '0 4 * * *'"
        ) from None


def start(
    enqueue: Enqueue,
    embed_soon: Callable[[], Awaitable[None]],
    backup_due: Callable[[], bool],
    reflections: Reflections | None = None,
) -> AsyncIOScheduler:
    """The running scheduler: a daily clean-up, hourly looks at the backlogs of vectors, frequent ones at the backups.

    And reflections, where they are turned on.

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
    if reflections is not None:
        scheduler.add_job(reflections.daily, trigger(reflections.schedule), id=kinds.REFLECT)
        for name, look in ((kinds.OBSERVE, reflections.observe), ("look", reflections.look)):
            scheduler.add_job(look, "interval", seconds=LOOK.total_seconds(), id=name)
    scheduler.start()
    return scheduler
