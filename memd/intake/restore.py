"""Restoring from the observation logs: ``memctl restore``. Entries come back with their original times, and only once.

All logs are read again. A record that is not known is stored and absorbed; of one that is, those statements are stored
anew whose entries are gone. What a person stored, reviewed, superseded, merged or forgot stays as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from memd.db.database import Database
from memd.intake.log_reading import LogReader
from memd.services import Governor, Synced, Tell
from memd.sources import cursors, extraction, observation_table, observations, tail
from memd.sources.observation_table import Stored
from memd.sources.observations import Observation
from memd.sources.scan import Survey

CHUNK = 100
LOOK_SECONDS = 0.1


@dataclass(slots=True)
class Report:
    """What there is in the logs, and what of it is not among the entries. ``errors``: why a log cannot be read."""

    dry_run: bool
    files: int = 0
    records: int = 0
    bad_records: int = 0
    new_records: int = 0
    statements: int = 0
    lost: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    seen: set[bytes] = field(default_factory=set)  # new records: a copy of the folder holds the same

    def to_dict(self) -> dict[str, object]:
        """The report as an answer has it."""
        return {
            "dry_run": self.dry_run,
            "files": self.files,
            "records": self.records,
            "bad_records": self.bad_records,
            "new_records": self.new_records,
            "entries": self.statements + self.lost,
            "entries_of_new_records": self.statements,
            "entries_lost": self.lost,
            "errors": self.errors,
        }


class Restore:
    """``run`` is what the method ``restore`` calls. ``absorb`` starts the job, ``again`` stores lost statements."""

    def __init__(
        self,
        db: Database,
        reader: LogReader,
        folders: Sequence[bytes],
        governor: Governor,
        rescan: Callable[[], Future[Synced]],
        absorb: Callable[[], Awaitable[object]],
        again: Callable[[Sequence[Stored]], Awaitable[int]],
    ) -> None:
        self._db, self._reader, self._folders, self._governor = db, reader, folders, governor
        self._rescan, self._absorb, self._again = rescan, absorb, again

    async def run(self, dry_run: bool, tell: Tell) -> Mapping[str, object]:
        """What is restored, or with ``dry_run`` would be."""
        report = Report(dry_run)
        await asyncio.to_thread(self._look, report)
        if dry_run:
            report.lost = await self._lost(None)
        else:
            with self._governor.hurry():
                await self._read_anew()
                report.lost = await self._lost(tell)
                await self._absorbed(tell)
        return report.to_dict()

    def _look(self, report: Report) -> None:
        """Read every log, and count what is new."""
        survey = Survey()
        for folder in self._folders:
            for file in observations.files(folder, survey):
                report.files += 1
                try:
                    for found in self._stretches(file.path, report):
                        self._count(found, report)
                except tail.NotAFile:
                    report.files -= 1
                except OSError as error:
                    report.errors[cursors.key_of(file.path)] = error.strerror or type(error).__name__
        report.errors |= {cursors.key_of(folder): why for folder, why in survey.unreadable.items()}

    def _stretches(self, path: bytes, report: Report) -> Iterator[Sequence[Observation]]:
        part, at_end = self._reader.read(path, None)
        while True:
            report.bad_records += len(part.bad)
            yield part.observations
            if at_end:
                return
            part, at_end = self._reader.read(path, part.cursor)

    def _count(self, found: Sequence[Observation], report: Report) -> None:
        report.records += len(found)
        known = self._db.read_now(observation_table.known, [one.key for one in found]) | report.seen
        for one in found:
            if one.key not in known:
                report.seen.add(one.key)
                report.new_records += 1
                report.statements += len(extraction.read(one.extraction, one.project, one.branch).statements)

    async def _read_anew(self) -> None:
        await self._db.write(observation_table.start_over)
        await asyncio.wrap_future(self._rescan())

    async def _lost(self, tell: Tell | None) -> int:
        """How many statements of known records lost their entries; where progress is told, they are stored anew."""
        lost = after = 0
        while records := await self._db.read(observation_table.lacking, after, CHUNK):
            after = records[-1].id
            if tell is None:
                lost += sum([len(await self._db.read(observation_table.gone, one)) for one in records])
            else:
                lost += await self._again(records)
                await tell({"stage": "restore", "entries": lost})
        return lost

    async def _absorbed(self, tell: Tell) -> None:
        """Wait until every record that was found is absorbed."""
        await self._absorb()
        while waiting := await self._db.read(observation_table.count_waiting):
            await tell({"stage": "absorb", "records": waiting})
            await asyncio.sleep(LOOK_SECONDS)
