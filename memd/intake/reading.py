"""Reading one stretch of one file: from a cursor to ``Part``s that can be stored. Runs on the file thread.

Transcripts, and what other programs write likewise, are read on from where they were read to; the state of those in use
is kept in memory. What cannot be read so is gone through in passes.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from dataclasses import replace

import orjson

from memd.db.database import Database
from memd.importers.claude_code import Transcript
from memd.importers.gathering import Wanted
from memd.importers.growing import FORMATS, GrowingFile
from memd.importers.harvest import Harvest
from memd.intake import left
from memd.intake.accept import FORMAT, Facts, Part
from memd.intake.foreign import title_of
from memd.intake.passes import Passes
from memd.intake.redaction import redacted
from memd.sources import attribution, cursors, tail
from memd.sources.cursors import Cursor
from memd.sources.exclusions import Exclusions
from memd.sources.projects import Project
from memd.sources.scan import Found
from memd.turns.turn import Turn

KEPT_FILES = 32
PROJECT_SECONDS = 30.0


Growing = Transcript | GrowingFile


class Reader:
    """Reads files on from their cursors."""

    def __init__(self, db: Database, exclusions: Exclusions, *, subagents: bool, own_home: str) -> None:
        self._db = db
        self.exclusions = exclusions
        self._subagents = subagents
        self._own_home = own_home.rstrip("/") + "/"
        self._growing: OrderedDict[str, Growing] = OrderedDict()
        self._projects: dict[str, tuple[float, Project]] = {}
        self._passed: dict[str, tuple[str, str]] = {}  # excluded files: their session and working directory
        self._passes = Passes(db, exclusions, self._project)

    def forget(self, path: str) -> None:
        """Drop what is held in memory of a file: the database decides where to go on."""
        self._growing.pop(path, None)
        self._passed.pop(path, None)
        self._passes.forget(path)

    def rests_until(self, path: str) -> float:
        """Until when (monotonic seconds) a file that is costly to read is left alone, unless somebody asks."""
        return self._passes.rests_until(path)

    def read(
        self, found: Found, cursor: Cursor | None, *, max_lines: int, max_bytes: int
    ) -> tuple[list[Part], bool]:
        """The next stretch of the file, and whether its end was reached.

        OSError where it cannot be read; HistoryImportError where it is not what it should be.
        """
        try:
            if found.format != FORMAT and not _grows(found):
                return self._passes.read(found)
            part, at_end = self._stretch(found, cursor, max_lines, max_bytes)
            return [part], at_end
        except BaseException:
            # What was taken in is not stored: fed once more, it would look like lines met twice.
            self.forget(cursors.key_of(found.path))
            raise

    def _stretch(
        self, found: Found, cursor: Cursor | None, max_lines: int, max_bytes: int
    ) -> tuple[Part, bool]:
        descriptor, info = tail.open_regular(found.path)
        try:
            path = cursors.key_of(found.path)
            if (passed := self._passed.get(path)) and self.exclusions.cover(passed[1]):
                return self._pass(found, path, info, *passed)
            going_on = cursor if cursor and cursors.continues(descriptor, info, cursor) else None
            try:
                transcript = self._transcript(found, path, going_on)
            except (
                ValueError
            ):  # what was kept of it is of another layout: read it anew, its ids make that harmless
                going_on = None
                transcript = self._transcript(found, path, None)
            start = going_on.offset if going_on else 0
            lines = tail.complete_lines(descriptor, start, max_lines=max_lines, max_bytes=max_bytes)
            for offset, line in lines.lines:
                transcript.feed(offset, line)
            for offset in lines.too_large:
                transcript.too_large(offset)
            cwd = transcript.project_cwd
            if cwd and self.exclusions.cover(cwd):
                return self._pass(found, path, info, transcript.session, cwd)
            ahead = _early(transcript, lines)
            head, last = cursors.fingerprint(descriptor, lines.offset)
        finally:
            os.close(descriptor)
        # A file that is not read to its end keeps a size that no stat will show, so that every scan takes it up again.
        size = info.st_size if lines.at_end else -1
        now = Cursor(path, info.st_dev, info.st_ino, size, info.st_mtime_ns, lines.offset, head, last)
        return self._part(found.format, now, going_on is None, transcript, ahead), lines.at_end

    def _pass(
        self, found: Found, path: str, info: os.stat_result, session: str, cwd: str
    ) -> tuple[Part, bool]:
        """Nothing of an excluded file is kept, so that it is read from its beginning once it is excluded no longer."""
        self.forget(path)
        self._passed[path] = (session, cwd)
        facts = Facts(session, None, None, None, None, None, {}, {}, 0, 0)
        harvest = Harvest([], [], [], b"", b"")
        part = Part(cursors.passing(path, info), True, facts, harvest, excluded=cwd, format=found.format)
        return part, True

    def _transcript(self, found: Found, path: str, cursor: Cursor | None) -> Growing:
        known = self._growing.get(path) if cursor else None
        if known is None:
            kept = self._db.read_now(cursors.progress, path) if cursor and cursor.offset else None
            known = self._opened(found, path, kept)
        self._growing[path] = known
        self._growing.move_to_end(path)
        while len(self._growing) > KEPT_FILES:
            self._growing.popitem(last=False)
        return known

    def _opened(self, found: Found, path: str, kept: tuple[bytes, list[bytes]] | None) -> Growing:
        """A file with what was kept of it. ValueError where that is of another layout."""
        if found.format != FORMAT:
            head, chunks = kept or (None, [])
            return GrowingFile(found.format, Wanted(), found.path, head, chunks)
        name = found.session or os.path.basename(path).removesuffix(".jsonl")
        parent = found.session if found.agent and found.session else None
        if kept is None:
            return Transcript(name, agent_id=found.agent, session_id=parent, subagents=self._subagents)
        return Transcript.load(
            name, *kept, agent_id=found.agent, session_id=parent, subagents=self._subagents
        )

    def _part(
        self, format_: str, cursor: Cursor, restart: bool, transcript: Growing, ahead: Harvest | None
    ) -> Part:
        harvest = transcript.take()
        cwd = transcript.project_cwd
        facts = facts_of(transcript, self._project(cwd) if cwd else None)
        if format_ != FORMAT:
            facts = replace(facts, title=title_of(facts.title))
        if cwd and (cwd + "/").startswith(self._own_home):
            # A run of memd's own: importing it would feed memd with itself.
            return Part(cursor, restart, facts, replace(harvest, turns=[]))
        if ahead:
            harvest = _with(harvest, ahead)
        if harvest.left:
            harvest = replace(harvest, hidden=left.turns(self._db, cursor.path, harvest))
        if harvest.reworded:
            harvest = replace(harvest, turns=list({turn.id: turn for turn in harvest.turns}.values()))
        excluded = next((turn.cwd for turn in harvest.turns if self._is_excluded(turn)), None)
        if excluded:
            harvest = replace(harvest, turns=[turn for turn in harvest.turns if not self._is_excluded(turn)])
        turns, redactions = redacted(harvest.turns)
        harvest = replace(harvest, turns=turns)
        return Part(cursor, restart, facts, harvest, redactions, format=format_, excluded=excluded)

    def _is_excluded(self, turn: Turn) -> bool:
        return turn.cwd is not None and self.exclusions.cover(turn.cwd)

    def _project(self, cwd: str) -> Project:
        """The project of a cwd, looked up anew every half minute: worktrees come and go."""
        now = time.monotonic()
        known = self._projects.get(cwd)
        if known is None or now - known[0] > PROJECT_SECONDS:
            known = self._projects[cwd] = (now, self._db.read_now(attribution.identify, cwd))
        return known[1]


def _grows(found: Found) -> bool:
    """True where a file is written line by line, at its end."""
    return found.format in FORMATS and found.path.endswith(b".jsonl")


def _with(harvest: Harvest, ahead: Harvest) -> Harvest:
    """A harvest and what a last line gave that has no newline yet."""
    before = len(harvest.turns)
    later = [one._replace(turns=one.turns + before) for one in ahead.left]
    return replace(
        harvest,
        turns=harvest.turns + ahead.turns,
        hidden=harvest.hidden + ahead.hidden,
        left=[*harvest.left, *later],
    )


def facts_of(transcript: Growing, project: Project | None) -> Facts:
    """What a transcript tells so far."""
    return Facts(
        session=transcript.session,
        title=transcript.title,
        project=project,
        cwd=transcript.project_cwd,
        branch=transcript.branch,
        continues=transcript.continues,
        skipped=dict(transcript.skipped),
        unknown=dict(transcript.unknown),
        duplicates=transcript.duplicates,
        bad_lines=transcript.bad_lines,
    )


def _early(transcript: Growing, lines: tail.Lines) -> Harvest | None:
    """What a last line without a newline gives, where it is whole already; the transcript does not notice."""
    if not is_whole(lines.rest):
        return None
    copy = transcript.fork()
    copy.take()
    copy.feed(lines.offset, lines.rest)
    return copy.take()


def is_whole(rest: bytes) -> bool:
    """True where the bytes of a last line without a newline parse to an object as they stand."""
    rest = rest.strip(b"\0 \t\r")
    if not (rest.startswith(b"{") and rest.endswith(b"}")):
        return False
    try:
        return isinstance(orjson.loads(rest), dict)
    except orjson.JSONDecodeError:
        return False
