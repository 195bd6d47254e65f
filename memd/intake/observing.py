"""Keeps the store level with the observation logs, as the intake does with transcripts (R1 to R4).

Runs on the intake's thread. Every batch is one commit: records, cursors and the job that absorbs them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

import structlog

from memd.db.database import Database
from memd.intake.accept import FollowUp
from memd.intake.known import KnownFiles
from memd.intake.log_reading import LogReader
from memd.sources import cursors, observation_table, observations, tail
from memd.sources.exclusions import Exclusions
from memd.sources.observation_table import Part
from memd.sources.observations import LogFile
from memd.sources.scan import Survey

_log = structlog.get_logger("memd.intake")

BATCH_BYTES = 1 << 20
BATCH_SECONDS = 0.2

Unreadable = Callable[[bytes, str | None], None]


class ObservationLogs:
    """``scan`` and ``look`` say which logs are to be read, ``store`` reads on in them."""

    def __init__(
        self,
        db: Database,
        exclusions: Exclusions,
        folders: Sequence[bytes],
        follow_up: FollowUp | None,
        unreadable: Unreadable,
        on_stored: Callable[[int], None],
    ) -> None:
        self._db, self._folders, self._reader = db, folders, LogReader(db, exclusions)
        self._follow_up, self._unreadable, self._on_stored = follow_up, unreadable, on_stored
        self._known = KnownFiles(db, "observation_log")
        self.waiting: dict[bytes, LogFile] = {}

    def load(self) -> None:
        """Read the cursors from the database."""
        self._known.load()

    def scan(self, survey: Survey) -> None:
        """Compare every log there is with what is stored."""
        self._known.load()  # a restore may have set them back
        present = {key for folder in self._folders for key in self._compare(folder, survey)}
        self._known.note_missing(present, survey, self._folders)

    def look(self, path: bytes) -> None:
        """Something happened at this path: look through its folder, where that is one of ours."""
        for folder in self._folders:
            if folder in (path, os.path.dirname(path)):
                self._compare(folder, Survey())

    def _compare(self, folder: bytes, survey: Survey) -> list[str]:
        """Put down the logs of a folder that differ from what is stored; all there are."""
        keys = []
        for file in observations.files(folder, survey):
            key = cursors.key_of(file.path)
            keys.append(key)
            if self._known.differs(key, file.stat):
                self.waiting[file.path] = file
        return keys

    def behind(self) -> tuple[int, int]:
        """How many logs, and about how many bytes, are not read yet."""
        sizes = [
            file.stat.st_size - self._known.offset(cursors.key_of(path))
            for path, file in self.waiting.items()
        ]
        return len(sizes), sum(max(0, size) for size in sizes)

    def store(self) -> list[bytes]:
        """Read a stretch of what waits, and commit it; the logs that are read to their end."""
        parts: list[Part] = []
        done: list[bytes] = []
        room, end = BATCH_BYTES, time.monotonic() + BATCH_SECONDS
        for file in self.waiting.values():
            if room <= 0 or time.monotonic() > end:
                break
            part, at_end = self._read(file)
            if part:
                parts.append(part)
                room -= max(1, part.cursor.offset - self._offset(part))
            if at_end:
                done.append(file.path)
        if parts:
            self._commit(parts)
        for path in done:
            del self.waiting[path]
        return done

    def _commit(self, parts: Sequence[Part]) -> None:
        new = self._db.write_now(observation_table.accept, parts, self._follow_up)
        self._known.learn(part.cursor for part in parts)
        for part in parts:
            if part.bad:
                _log.warning("bad_records", file=part.cursor.path, count=len(part.bad), first=part.bad[0])
        if new:
            self._on_stored(new)

    def _offset(self, part: Part) -> int:
        return 0 if part.restart else self._known.offset(part.cursor.path)

    def _read(self, file: LogFile) -> tuple[Part | None, bool]:
        """The next stretch of a log, and whether there is no more of it."""
        try:
            self._known.carry(file.path, file.stat)
            return self._reader.read(file.path, self._known.get(cursors.key_of(file.path)))
        except (FileNotFoundError, tail.NotAFile):
            return None, True
        except OSError as error:
            self._unreadable(file.path, error.strerror)
            return None, True
