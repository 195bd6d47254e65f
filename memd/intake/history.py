"""Importing a tree of Claude Code transcripts once: ``memctl import``. What is stored already is found by its ids."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import BadRequest, Busy, NotFound
from memd.importers.claude_code import Transcript
from memd.importers.reasons import Skip
from memd.importers.report import ImportReport
from memd.intake import accept
from memd.intake.accept import Part
from memd.intake.reading import facts_of, is_whole, redacted
from memd.services import ImportWish
from memd.sources import attribution, cursors, scan, tail
from memd.sources.cursors import Cursor
from memd.sources.exclusions import Exclusions
from memd.sources.scan import Found, Survey
from memd.turns import tombstones
from memd.turns.turn import Turn

STRETCH_LINES = 1000
STRETCH_BYTES = 4 << 20

Tell = Callable[[Mapping[str, object]], None]


class Import:
    """One run of an import; ``run`` gives its report."""

    def __init__(
        self,
        db: Database,
        wish: ImportWish,
        exclusions: Exclusions,
        *,
        follow_up: accept.FollowUp | None,
        tell: Tell,
        cancelled: Callable[[], bool],
    ) -> None:
        self._db, self._wish, self._follow_up, self._tell = db, wish, follow_up, tell
        self._exclusions, self._cancelled = exclusions, cancelled
        self._seen: set[str] = set()
        self.report = ImportReport(format=accept.FORMAT, source=wish.path, dry_run=wish.dry_run)
        self._skipped: Counter[str] = Counter()
        self._redactions: Counter[str] = Counter()

    def run(self) -> ImportReport:
        """Import file after file; one that cannot be read goes into the report's errors and the rest goes on."""
        report = self.report
        for found in _files(self._wish):
            if report.limited:
                break
            report.files += 1
            try:
                self._file(found)
            except OSError as error:
                report.errors.append(f"{cursors.key_of(found.path)}: {error.strerror}")
            self._tell({"stage": "import", "files": report.files, "imported": report.imported})
        report.skipped = dict(self._skipped)
        report.redactions = dict(self._redactions)
        return report

    def _file(self, found: Found) -> None:
        name = found.session or os.path.basename(cursors.key_of(found.path)).removesuffix(".jsonl")
        parent = found.session if found.agent and found.session else None
        transcript = Transcript(name, agent_id=found.agent, session_id=parent, subagents=self._wish.subagents)
        descriptor, info = tail.open_regular(found.path)
        cursor = Cursor(cursors.key_of(found.path), info.st_dev, info.st_ino, -1, 0, 0, b"", b"")
        sessions: set[str] = set()
        try:
            offset, at_end = 0, False
            while not at_end and not self.report.limited:
                if self._cancelled():
                    raise Busy("the import was called off; what was stored stays")
                lines = tail.complete_lines(
                    descriptor, offset, max_lines=STRETCH_LINES, max_bytes=STRETCH_BYTES
                )
                _feed(transcript, lines)
                offset, at_end = lines.offset, lines.at_end
                sessions |= self._stretch(transcript, cursor)
        finally:
            os.close(descriptor)
        self._skipped.update(transcript.skipped)
        self.report.duplicates += transcript.duplicates
        self.report.malformed += transcript.bad_lines
        self.report.sessions += bool(sessions)

    def _stretch(self, transcript: Transcript, cursor: Cursor) -> set[str]:
        if self._wish.strict and transcript.bad_lines:
            raise BadRequest(
                f"{cursor.path}: a line is no record that memd can read; nothing behind it is imported"
            )
        harvest = transcript.take()
        turns = self._admitted(harvest.turns, transcript.project_cwd)
        turns, redactions = redacted(turns) if self._wish.redact else (turns, {})
        for kinds in redactions.values():
            self._redactions.update(kinds)
        turns = self._bounded(turns)
        if not self._wish.dry_run:
            cwd = transcript.project_cwd
            project = self._db.read_now(attribution.identify, cwd) if cwd else None
            facts = facts_of(transcript, project)
            part = Part(cursor, False, facts, replace(harvest, turns=turns), redactions, watched=False)
            self._db.write_now(accept.batch, [part], self._follow_up)
        return {turn.session_id for turn in turns}

    def _admitted(self, turns: Sequence[Turn], project_cwd: str | None) -> list[Turn]:
        """The turns that were not said in an excluded folder, nor in a session of one."""
        cover = self._exclusions.cover
        excluded = project_cwd is not None and cover(project_cwd)
        kept = [turn for turn in turns if not (excluded or (turn.cwd and cover(turn.cwd)))]
        self._skipped[Skip.EXCLUDED] += len(turns) - len(kept)
        return kept

    def _bounded(self, turns: Sequence[Turn]) -> list[Turn]:
        """The turns within the window that were not forgotten, and of those that are new no more than the limit."""
        wish, report = self._wish, self.report
        inside = [turn for turn in turns if _within(turn, wish)]
        self._skipped[Skip.OUTSIDE_WINDOW] += len(turns) - len(inside)
        gone = self._db.read_now(tombstones.forgotten, [turn.id for turn in inside])
        inside = [turn for turn in inside if turn.id not in gone]
        self._skipped[Skip.FORGOTTEN] += len(gone)
        self._skipped += Counter()  # drops a zero
        known = self._db.read_now(_known, [turn.id for turn in inside]) | self._seen
        kept: list[Turn] = []
        for turn in inside:
            if turn.id in known:
                report.duplicates += 1
            elif wish.limit is not None and report.imported >= wish.limit:
                report.limited = True
                break
            else:
                report.imported += 1
                known.add(turn.id)
                self._seen.add(turn.id)
            kept.append(turn)
        return kept


def _feed(transcript: Transcript, lines: tail.Lines) -> None:
    for offset, line in lines.lines:
        transcript.feed(offset, line)
    for offset in lines.too_large:
        transcript.too_large(offset)
    if lines.at_end and is_whole(lines.rest):
        transcript.feed(lines.offset, lines.rest)


def _within(turn: Turn, wish: ImportWish) -> bool:
    if turn.at_ms is None:
        return True
    return (wish.since_ms is None or turn.at_ms >= wish.since_ms) and (
        wish.until_ms is None or turn.at_ms < wish.until_ms
    )


def _known(connection: Connection, ids: Sequence[str]) -> set[str]:
    found = set[str]()
    for turn_id in ids:
        if connection.execute("SELECT 1 FROM turn WHERE id = ?", (turn_id,)).get is not None:
            found.add(turn_id)
    return found


def _files(wish: ImportWish) -> Iterator[Found]:
    """The transcripts at the path: a file, a project's folder, a projects folder, or a client's whole folder."""
    path = os.fsencode(wish.path)
    survey = Survey()
    if os.path.isfile(path):
        name = os.path.basename(path).removesuffix(b".jsonl").decode("utf-8", "replace")
        agent = name.removeprefix("agent-") if name.startswith("agent-") else None
        yield Found(path, os.stat(path), "" if agent else name, agent)
        return
    if not os.path.isdir(path):
        raise NotFound(f"there is nothing at {wish.path}")
    inner = os.path.join(path, b"projects")
    root = inner if os.path.isdir(inner) else path
    found = sorted(scan.in_folder(root, survey, subagents=wish.subagents), key=lambda file: file.path)
    found += sorted(scan.transcripts(root, survey, subagents=wish.subagents), key=lambda file: file.path)
    yield from found
