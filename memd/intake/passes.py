"""Files of other programs that cannot be read on from an offset: gone through when they changed, piece by piece.

A rollout that was packed is read whole. Of a database those sessions are read that changed since the last pass, as its
own times tell. What a pass took says how long such a file is left alone after it, whatever happens to it: reading it
takes no more than a tenth of the time, but for scans and for who waits.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from memd.db import driver
from memd.db.database import Database
from memd.importers import opencode, opencode_changes, run, source
from memd.importers.gathering import Gathering, Session, Wanted, counted
from memd.importers.harvest import Harvest
from memd.importers.opencode_changes import Kept
from memd.intake.accept import Facts, Part
from memd.intake.foreign import title_of
from memd.intake.redaction import redacted
from memd.sources import cursors
from memd.sources.cursors import Cursor
from memd.sources.exclusions import Exclusions
from memd.sources.foreign import OPENCODE
from memd.sources.projects import Project
from memd.sources.scan import Found, Stat
from memd.turns import of_file

REST = 9.0  # times what a pass took
LONGEST_REST = 60.0
STEP_SECONDS = 0.2


class _Step(NamedTuple):
    """Pieces of sessions, each with the ids of all its turns where it ends its session; up to when it is read then."""

    pieces: Sequence[tuple[Session, set[str] | None]]
    upto: int | None = None


@dataclass(slots=True)
class _Pass:
    """A file that is gone through: how it stood at the beginning, and what came of it so far."""

    stat: Stat
    into: Gathering
    steps: Iterator[_Step]
    kept: Kept | None
    restart: bool
    session: str = ""  # the last one
    seconds: float = 0.0


class Passes:
    """``read`` gives the next parts of a file."""

    def __init__(self, db: Database, exclusions: Exclusions, project: Callable[[str], Project]) -> None:
        self._db, self._exclusions, self._project = db, exclusions, project
        self._passes: dict[str, _Pass] = {}
        self._rests: dict[str, float] = {}

    def rests_until(self, path: str) -> float:
        """Until when (monotonic seconds) a file is left alone, unless a scan comes by it."""
        return time.monotonic() + 1 if path in self._passes else self._rests.get(path, 0.0)

    def forget(self, path: str) -> None:
        """Begin anew with a file: what was read of it since the last commit is not stored."""
        self._passes.pop(path, None)

    def read(self, found: Found) -> tuple[list[Part], bool]:
        """The next parts of the file, and whether its end was reached. HistoryImportError where it is unsound."""
        path, began = cursors.key_of(found.path), time.monotonic()
        now = self._passes.get(path) or self._begin(path, found)
        self._passes[path] = now
        try:
            step = next(now.steps, None)
            parts = self._parts(path, found.format, now, step or _Step([]), ended=step is None)
        finally:
            now.seconds += time.monotonic() - began
            self._rests[path] = time.monotonic() + min(LONGEST_REST, REST * now.seconds)
        if step is not None:
            return parts, False
        del self._passes[path]
        return parts, now.stat == found.stat  # else it changed meanwhile, which somebody may be waiting for

    def _begin(self, path: str, found: Found) -> _Pass:
        into = Gathering(found.format, Wanted())
        if found.format != OPENCODE:
            return _Pass(found.stat, into, _packed(found, into), None, restart=True)
        kept = Kept.load(self._db.read_now(cursors.progress, path))
        if not all(map(self._exclusions.cover, kept.excluded)):
            kept = Kept()  # what was passed over is wanted now
        steps = _database(found, into, kept.upto)
        return _Pass(found.stat, into, steps, kept, restart=kept.upto is None)

    def _parts(self, path: str, format_: str, now: _Pass, step: _Step, *, ended: bool) -> list[Part]:
        """What is stored of a step. The cursor of a file that is not at its end has a size that no stat will show."""
        seen = cursors.passing(path, now.stat)
        cursor = seen if ended else replace(seen, size=-1)
        excluded = [session.cwd for session, _ in step.pieces if self._is_excluded(session)]
        head = b""
        if now.kept is not None:
            now.kept.note(step.upto, now.stat.st_mtime_ns // 1_000_000, now.into, filter(None, excluded))
            head = now.kept.dump()
        parts = []
        for session, ids in step.pieces or [(Session(now.session, now.session, "", None, None), None)]:
            now.session = session.key
            parts.append(self._part(cursor, format_, now, session, ids, head))
            now.restart = False
        return parts

    def _part(
        self,
        cursor: Cursor,
        format_: str,
        now: _Pass,
        session: Session,
        ids: set[str] | None,
        head: bytes,
    ) -> Part:
        out = self._is_excluded(session)
        turns, redactions = ([], {}) if out else redacted(session.turns)
        hidden = [] if out or ids is None else self._gone(cursor.path, session.key, ids)
        facts = Facts(
            session=session.key,
            title=title_of(session.title),
            project=self._project(session.cwd) if session.cwd and not out else None,
            cwd=None if out else session.cwd,
            branch=session.branch,
            continues=session.continues,
            skipped=now.kept.skipped if now.kept else counted(now.into),
            unknown={},
            duplicates=0,
            bad_lines=now.kept.malformed if now.kept else now.into.malformed,
        )
        harvest = Harvest(turns, [], hidden, b"", head, reworded=True)
        excluded = session.cwd if out else None
        return Part(cursor, now.restart, facts, harvest, redactions, format=format_, excluded=excluded)

    def _is_excluded(self, session: Session) -> bool:
        return session.cwd is not None and self._exclusions.cover(session.cwd)

    def _gone(self, path: str, session: str, ids: set[str]) -> list[str]:
        """What is stored of a session of the file and stands in it no more: it was taken back there."""
        return [turn for turn in self._db.read_now(of_file.said, path, session) if turn not in ids]


def _packed(found: Found, into: Gathering) -> Iterator[_Step]:
    """The pieces of a file that is read whole."""
    file = source.on_disk(found.path, found.stat.st_size)
    files = source.Found(found.format, [file], [])
    for batch in run.batches(files, into):
        yield _Step([(session, None) for session in batch.sessions])
    if files.errors:
        raise files.errors[0]


def _database(found: Found, into: Gathering, since: int | None) -> Iterator[_Step]:
    """The sessions of a database that changed since then, those that were left alone longest first.

    It is open while a step is read and no longer: its own program must be able to tidy it up.
    """
    path = Path(os.fsdecode(found.path))
    todo = deque(opencode_changes.changed(path, since))
    start, ids = 0, set[str]()
    while todo:
        pieces: list[tuple[Session, set[str] | None]] = []
        upto, end = None, time.monotonic() + STEP_SECONDS
        with driver.foreign(path) as connection:
            while todo and time.monotonic() < end:
                at, id = todo[0]
                for _ in opencode.session(connection, id, into, start):
                    start += 1
                    if into.full:
                        break
                whole = not into.full
                [piece] = into.take()
                ids.update(turn.id for turn in piece.turns)
                pieces.append((piece, ids if whole else None))
                if whole:
                    start, ids, upto = 0, set(), at
                    todo.popleft()
        yield _Step(pieces, upto)
