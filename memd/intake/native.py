"""Keeps what is stored of Claude Code's own memory files level with them: read when they change, gone when they are.

Of a projects folder that is missing or empty, as a disk that is not mounted leaves it, nothing is taken to be gone.
Runs on the intake's thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence

from memd.db.database import Database
from memd.db.driver import Connection
from memd.intake.accept import FollowUp
from memd.sources import attribution, native, native_table, slugs, tail
from memd.sources.cursors import key_of
from memd.sources.exclusions import Exclusions, places
from memd.sources.native import MemoryFile
from memd.sources.native_table import Known, Reading
from memd.sources.scan import Survey
from memd.text.markdown import sections
from memd.turns.redact import redact

BATCH_BYTES = 1 << 20
BATCH_SECONDS = 0.2

State = tuple[int, int, int, int]
Unreadable = Callable[[bytes, str | None], None]


class NativeMemory:
    """``scan`` and ``look`` find what is to be read, ``store`` reads some of it."""

    def __init__(
        self,
        db: Database,
        exclusions: Exclusions,
        roots: Sequence[bytes],
        follow_up: FollowUp | None,
        unreadable: Unreadable,
    ) -> None:
        self._db, self._exclusions, self._roots = db, exclusions, roots
        self._follow_up, self._unreadable = follow_up, unreadable
        self._passed: dict[str, tuple[State, str]] = {}  # excluded files, and for which folder they are
        self._hinted: set[bytes] = set()
        self.waiting: dict[bytes, MemoryFile] = {}

    def scan(self, survey: Survey) -> None:
        """Compare what a scan came by with what is stored."""
        self._level(survey, self._db.read_now(native_table.load))

    def hint(self, folder: bytes) -> None:
        """Something happened in this memory folder."""
        self._hinted.add(folder)

    def look(self) -> None:
        """Compare what was hinted at with what is stored."""
        if not self._hinted:
            return
        folders, self._hinted = self._hinted, set()
        known, below = self._db.read_now(native_table.load), tuple(key_of(folder) + "/" for folder in folders)
        here = {path: one for path, one in known.items() if path.startswith(below)}
        self._level(Survey(memories=list(folders)), here)

    def _level(self, survey: Survey, known: dict[str, Known]) -> None:
        present = set[str]()
        for folder in survey.memories:
            present |= self._compare(native.in_folder(folder, survey), known)
        away = tuple(key_of(folder) + "/" for folder in (*survey.unreadable, *filter(_is_void, self._roots)))
        gone = {path for path in known.keys() - present if not path.startswith(away)}
        gone |= {path for path, one in known.items() if self._excluded(one.slug, one.project)}
        if gone:
            self._db.write_now(native_table.remove, gone)

    def _compare(self, files: Iterable[MemoryFile], known: dict[str, Known]) -> set[str]:
        """Put down what differs from what is stored; every path there is."""
        present = set[str]()
        for file in files:
            path, state = key_of(file.path), native_table.state_of(file.stat)
            present.add(path)
            passed = self._passed.get(path)
            if passed and passed[0] == state and self._exclusions.cover(passed[1]):
                continue
            if path not in known or known[path].state != state or self._is_known_now(file, known[path]):
                self.waiting[file.path] = file
        return present

    def _is_known_now(self, file: MemoryFile, stored: Known) -> bool:
        """True where a transcript tells by now which project a file is of."""
        return stored.project is None and self._db.read_now(native_table.told, file.home) is not None

    def store(self) -> list[bytes]:
        """Read some of what waits, and commit it; the files that are done."""
        readings: list[Reading] = []
        found: dict[bytes, str | None] = {}
        size, end, done = 0, time.monotonic() + BATCH_SECONDS, list[bytes]()
        for path, file in self.waiting.items():
            if size >= BATCH_BYTES or time.monotonic() > end:
                break
            done.append(path)
            if reading := self._read(file, found):
                readings.append(reading)
            size += file.stat.st_size
        if readings:
            self._db.write_now(self._put, readings)
        for path in done:
            del self.waiting[path]
        return done

    def _put(self, connection: Connection, readings: Sequence[Reading]) -> None:
        native_table.put(connection, readings)
        if self._follow_up:
            self._follow_up(connection)

    def _read(self, file: MemoryFile, found: dict[bytes, str | None]) -> Reading | None:
        """A file as it stands; None where it is gone, is no file any more, or is excluded."""
        if file.home not in found:
            found[file.home] = self._db.read_now(native_table.meant, file.home)
        cwd = found[file.home]
        if excluded := self._excluded(file.slug, cwd):
            self._passed[key_of(file.path)] = (native_table.state_of(file.stat), excluded)
            return None
        project = self._db.read_now(attribution.identify, cwd) if cwd else None
        try:
            file, text = _text(file)
        except (FileNotFoundError, tail.NotAFile):
            return None
        except OSError as error:
            self._unreadable(file.path, error.strerror)
            return None
        return Reading(file, sections(redact(text).text), cwd, project)

    def _excluded(self, slug: str, cwd: str | None) -> str | None:
        """For which folder a file is passed over; of a slug that nobody knows, any excluded one that it may be."""
        if cwd is not None:
            return cwd if self._exclusions.cover(cwd) else None
        around = [place for folder in self._exclusions.folders for place in places(folder)]
        return next(
            (place for place in around if (slug + "-").startswith(slugs.munge_path(place) + "-")), None
        )


def _text(file: MemoryFile) -> tuple[MemoryFile, str]:
    """The text of a file and its state at that moment; none of one that is too large."""
    descriptor, info = tail.open_regular(file.path)
    now = file._replace(stat=info)
    with os.fdopen(descriptor, "rb") as opened:
        raw = b"" if now.too_large else opened.read(native.MOST_BYTES)
    return now, raw.decode("utf-8-sig", "replace")


def _is_void(root: bytes) -> bool:
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError:
        return True
