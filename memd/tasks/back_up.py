"""The job kind ``backup``: a copy of the database into ``backups/``, and the removal of those that it replaces.

It is due by the time of the newest copy, not by a clock of ours: a machine that is on for an hour a day has its
backups too. Where nothing was stored since the last one there is nothing to copy.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memd.clock import Clock, iso
from memd.db import backup, backup_folder
from memd.db.backup_folder import DAY_MS
from memd.db.database import Database, Over
from memd.db.driver import Connection, DiskFull
from memd.errors import BadRequest, Degraded
from memd.jobs.job import Job
from memd.jobs.outcome import Finished, Later, Outcome
from memd.services import Troubles

RESERVE_BYTES = 500_000_000
AGAIN_SECONDS = 3600.0
LONGEST_SAME_MS = 7 * DAY_MS


@dataclass(frozen=True, slots=True)
class Rules:
    """How often, how many, and how many bytes of them all together. ``every_hours`` 0: never."""

    every_hours: int
    keep: int
    most_bytes: int


class BackUp:
    """The handler."""

    def __init__(self, db: Database, clock: Clock, troubles: Troubles, folder: Path, rules: Rules) -> None:
        self._db, self._clock, self._troubles = db, clock, troubles
        self._folder, self._rules = folder, rules

    def due(self) -> bool:
        """Whether the newest copy is too old, or of a time to come."""
        if not self._rules.every_hours:
            return False
        newest = backup_folder.newest(self._folder)
        age_ms = self._clock.now_ms() - newest.at_ms if newest else None
        return age_ms is None or age_ms >= self._rules.every_hours * 3_600_000 or age_ms < -DAY_MS

    async def run(self, job: Job) -> Outcome:
        """Copy, check, rotate; where the disk has no room for it, say so and try again in an hour."""
        try:
            result = await self._db.apart(self._take)
        except (DiskFull, Degraded, BadRequest) as error:
            self._troubles.raise_(
                "backup",
                f"no backup is taken: {error.message}",
                f"make room on the disk of {self._folder}, or change [backup] in config.toml; memctl backup FILE"
                " copies elsewhere",
            )
            return Later(AGAIN_SECONDS, error.message)
        self._troubles.clear("backup")
        return Finished(result)

    def _take(self, connection: Connection, over: Over) -> dict[str, object]:
        now_ms = self._clock.now_ms()
        if reason := self._needless(connection, now_ms):
            return {"skipped": reason}
        size = backup.size(connection)
        if size > self._rules.most_bytes:
            raise Degraded(
                f"the database takes {size // 1_000_000} MB, and backup.max_mb allows"
                f" {self._rules.most_bytes // 1_000_000}: memctl config set backup.max_mb N"
            )
        target = self._folder / backup_folder.file_name(now_ms)
        made = backup.take(connection, target, force=True, reserve=size // 10 + RESERVE_BYTES, over=over)
        _date(target, now_ms)
        return {
            "file": target.name,
            "bytes": made.bytes,
            "turns": made.turns,
            "removed": self._rotate(now_ms),
        }

    def _needless(self, connection: Connection, now_ms: int) -> str:
        """Why there is nothing to copy. The newest copy then counts as of now, for a week at most."""
        newest = backup_folder.newest(self._folder)
        if newest is None:
            return "" if connection.execute("SELECT 1 FROM turn LIMIT 1").get else "nothing is stored yet"
        old = backup_folder.taken_ms(newest.path) < now_ms - LONGEST_SAME_MS
        if old or backup.differs(connection, newest.path):
            return ""
        _date(newest.path, now_ms)
        return f"nothing was stored since {iso(newest.at_ms)}"

    def _rotate(self, now_ms: int) -> int:
        going = backup_folder.surplus(
            backup_folder.listing(self._folder),
            keep=self._rules.keep,
            most_bytes=self._rules.most_bytes,
            now_ms=now_ms,
        )
        for one in going:
            one.path.unlink(missing_ok=True)
        return len(going)


def _date(path: Path, now_ms: int) -> None:
    """What was stored until now is in this backup."""
    os.utime(path, ns=(now_ms * 1_000_000, now_ms * 1_000_000))
