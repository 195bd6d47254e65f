"""Importing Claude Code transcripts once, file by file; the watched folders are the intake's own affair."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from memd.db.database import Database
from memd.errors import HistoryImportError
from memd.importers.claude_code import Transcript
from memd.importers.gathering import DEFAULT_USER
from memd.importers.report import ImportedSession, ImportReport
from memd.intake import accept
from memd.intake.accept import Part
from memd.intake.admission import Admission
from memd.intake.reading import facts_of, is_whole
from memd.services import ImportWish
from memd.sources import attribution, cursors, tail
from memd.sources.cursors import Cursor
from memd.sources.scan import Found

STRETCH_LINES = 1000
STRETCH_BYTES = 4 << 20

Step = Callable[[int, int], None]


class TranscriptImport:
    """One run over transcripts."""

    def __init__(
        self, db: Database, wish: ImportWish, admission: Admission, follow_up: accept.FollowUp | None
    ) -> None:
        self._db, self._wish, self._admission, self._follow_up = db, wish, admission, follow_up
        self._report = admission.report

    def run(self, files: Iterable[Found], step: Step) -> None:
        """Import file after file; one that cannot be read goes into the report's errors and the rest goes on."""
        every = list(files)
        total = sum(found.stat.st_size for found in every)
        done = 0
        for found in every:
            if self._report.limited:
                break
            self._report.files += 1
            try:
                self._file(found, partial(_step_on, step, done, total))
            except OSError as error:
                self._report.errors.append(f"{cursors.key_of(found.path)}: {error.strerror}")
            done += found.stat.st_size

    def _file(self, found: Found, step: Callable[[int], None]) -> None:
        name = found.session or os.path.basename(cursors.key_of(found.path)).removesuffix(".jsonl")
        parent = found.session if found.agent and found.session else None
        transcript = Transcript(
            name,
            agent_id=found.agent,
            session_id=parent,
            subagents=self._wish.subagents,
            tool_output=self._wish.tool_output,
        )
        told = ImportedSession(accept.FORMAT, transcript.session, None, transcript.session, DEFAULT_USER)
        descriptor, info = tail.open_regular(found.path)
        cursor = Cursor(cursors.key_of(found.path), info.st_dev, info.st_ino, -1, 0, 0, b"", b"")
        try:
            offset, at_end = 0, False
            while not at_end and not self._report.limited:
                step(offset)
                lines = tail.complete_lines(
                    descriptor,
                    offset,
                    max_lines=STRETCH_LINES,
                    max_bytes=STRETCH_BYTES,
                    max_line=self._wish.limits.get("max_record_bytes", tail.MAX_LINE),
                )
                _feed(transcript, lines)
                _count(lines, self._report)
                offset, at_end = lines.offset, lines.at_end
                self._stretch(transcript, cursor, told)
        finally:
            os.close(descriptor)
        self._admission.skipped.update(transcript.skipped)
        self._report.duplicates += transcript.duplicates
        self._report.malformed += transcript.bad_lines
        if told.imported + told.duplicates:
            told.session_id, told.title = transcript.session, transcript.title
            self._report.sessions.append(told)

    def _stretch(self, transcript: Transcript, cursor: Cursor, told: ImportedSession) -> None:
        if self._wish.strict and transcript.bad_lines:
            raise HistoryImportError(
                f"{cursor.path}: a line is no record that memd can read; nothing behind it is imported"
            )
        harvest = transcript.take()
        cwd = transcript.project_cwd
        admitted = self._admission.admit(harvest.turns, cwd)
        told.turns += len(harvest.turns)
        told.imported += len(admitted.new)
        told.duplicates += admitted.duplicates
        told.skipped += admitted.skipped
        if not self._wish.dry_run:
            project = self._db.read_now(attribution.identify, cwd) if cwd else None
            facts = replace(
                facts_of(transcript, project), user_id=self._wish.user_id, agent_id=self._wish.agent_id
            )
            kept = replace(harvest, turns=admitted.turns)
            part = Part(cursor, False, facts, kept, admitted.redactions, watched=False)
            self._db.write_now(accept.batch, [part], self._follow_up)


def _step_on(step: Step, before: int, total: int, offset: int) -> None:
    step(before + offset, total)


def _count(lines: tail.Lines, report: ImportReport) -> None:
    if lines.too_large:
        over = report.over_limits
        over["max_record_bytes"] = over.get("max_record_bytes", 0) + len(lines.too_large)


def _feed(transcript: Transcript, lines: tail.Lines) -> None:
    for offset, line in lines.lines:
        transcript.feed(offset, line)
    for offset in lines.too_large:
        transcript.too_large(offset)
    if lines.at_end and is_whole(lines.rest):
        transcript.feed(lines.offset, lines.rest)
