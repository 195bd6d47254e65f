"""One import of a mait-code home: its database, aliases, logs and MEMORY.md, in one transaction; twice is once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, MemdError
from memd.importers.reasons import Skip
from memd.importers.report import MemoryReport
from memd.intake.accept import FollowUp
from memd.intake.log_reading import LogReader
from memd.intake.mait_code import home as homes
from memd.intake.mait_code import logs
from memd.intake.mait_code.foreign import Rows
from memd.intake.mait_code.home import MaitCodeHome
from memd.intake.mait_code.logs import Settling
from memd.intake.mait_code.reading import Reading
from memd.intake.mait_code.take import FORMAT, Taken, Taking
from memd.memory.dedup import Thresholds
from memd.services import ImportWish
from memd.sources import attribution, canonical
from memd.sources.observation_table import Part
from memd.turns.redact import redact


@dataclass(frozen=True, slots=True)
class Places:
    """Where memd keeps its own: the folder for copies that are read, and its MEMORY.md."""

    copies: Path
    memory_md: Path


class _DryRun(Exception):
    """Nothing is to be written after all."""


class HomeImport:
    """``run`` gives the report."""

    def __init__(
        self,
        db: Database,
        wish: ImportWish,
        home: MaitCodeHome,
        places: Places,
        *,
        reader: LogReader,
        thresholds: Thresholds,
        now_ms: int,
        follow_up: FollowUp | None,
    ) -> None:
        self._db, self._wish, self._home, self._places = db, wish, home, places
        self._reader, self._thresholds = reader, thresholds
        self._now_ms, self._follow_up = now_ms, follow_up
        self.report = MemoryReport(format=FORMAT, source=wish.path, dry_run=wish.dry_run)

    def run(self) -> MemoryReport:
        """Import everything, or with a dry run say what would be imported."""
        wish, report = self._wish, self.report
        if wish.since_ms is not None or wish.until_ms is not None or wish.limit is not None:
            raise BadRequest("a mait-code home is imported as a whole: without --since, --until and --limit")
        with homes.opened(self._home, self._places.copies) as connection:
            rows = Reading(connection, self._now_ms, redact=wish.redact).read()
        report.files += 1
        self._check(rows)
        self._leave_out(rows)
        aliases = self._aliases()
        parts = logs.read(self._reader, self._home, report.errors)
        report.files += len({part.cursor.path for part in parts})
        try:
            self._db.write_now(self._take, rows, aliases, parts)
        except _DryRun:
            pass
        self._memory_md()
        return report

    def _leave_out(self, rows: Rows) -> None:
        """Take what is of excluded projects out."""
        names = {entry.project for entry in rows.entries}
        excluded = {name for name in names if self._reader.is_excluded(name)}
        kept = [entry for entry in rows.entries if entry.project not in excluded]
        rows.skipped[Skip.EXCLUDED] += len(rows.entries) - len(kept)
        rows.entries = kept

    def _check(self, rows: Rows) -> None:
        """Note what could not be taken as it is; with ``strict`` that ends the import."""
        report = self.report
        report.coerced, report.redactions = dict(rows.coerced), dict(rows.redactions)
        report.malformed = rows.coerced.total() + rows.skipped.total()
        if self._wish.strict and report.malformed:
            raise BadRequest(
                f"{self._home.database}: {report.malformed} rows do not fit as they are; nothing is imported"
            )

    def _aliases(self) -> dict[str, str]:
        if not self._home.aliases.is_file():
            return {}
        try:
            names = canonical.aliases_in(str(self._home.aliases))
        except MemdError as error:
            self.report.errors.append(error.message)
            return {}
        self.report.files += 1
        return names

    def _take(
        self, connection: Connection, rows: Rows, aliases: dict[str, str], parts: Sequence[Part]
    ) -> None:
        records = logs.accept(connection, parts)
        taking = Taking(connection, aliases, logs.claims(records))
        taken = taking.all(rows)
        known = {
            (one.type, one.content): taken.entries[one.id] for one in rows.entries if one.id in taken.entries
        }
        settling = Settling(connection, known, taking.project, self._thresholds, self._now_ms)
        self.report.observations = settling.all(records, rows.newest_ms)
        for former, project in canonical.unused(connection, aliases).items():
            attribution.alias(connection, former, former, project)
        self._tell(taken, rows)
        if self._wish.dry_run:
            raise _DryRun
        if self._follow_up:
            self._follow_up(connection)

    def _tell(self, taken: Taken, rows: Rows) -> None:
        report = self.report
        report.imported, report.duplicates = taken.new, taken.known
        report.entries, report.entities = taken.new + taken.known, taken.entities
        report.relationships = taken.relationships
        report.skipped = dict(taken.skipped + rows.skipped)

    def _memory_md(self) -> None:
        """Have its file of curated facts as memd's own, where memd has none; one that is there is never touched."""
        source, target = self._home.memory_md, self._places.memory_md
        if not source.is_file():
            return
        if target.exists():
            self.report.memory_md = f"left where it is: {target} is there already"
            return
        text = source.read_text("utf-8", "replace")
        if not self._wish.dry_run:
            _write_new(target, redact(text).text if self._wish.redact else text)
        self.report.files += 1
        self.report.memory_md = f"{'would be ' if self._wish.dry_run else ''}copied to {target}"


def _write_new(target: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all; for the owner alone."""
    with tempfile.NamedTemporaryFile("w", dir=target.parent, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        os.link(file.name, target)
