"""Reading one stretch of an observation log: from a cursor to a ``Part`` that can be stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from memd.db.database import Database
from memd.db.driver import Connection
from memd.intake.reading import is_whole
from memd.sources import attribution, cursors, observation_secrets, observations, tail
from memd.sources.cursors import Cursor
from memd.sources.exclusions import Exclusions
from memd.sources.observation_table import Part
from memd.sources.observations import Observation, Record

STRETCH_LINES = 500
STRETCH_BYTES = 1 << 20


class LogReader:
    """Reads logs on from their cursors. What is of an excluded folder is left out."""

    def __init__(self, db: Database, exclusions: Exclusions) -> None:
        self._db, self._exclusions = db, exclusions

    def read(self, path: bytes, cursor: Cursor | None) -> tuple[Part, bool]:
        """The next stretch of the log, and whether its end was reached. OSError where it cannot be read."""
        descriptor, info = tail.open_regular(path)
        try:
            going_on = cursor if cursor and cursors.continues(descriptor, info, cursor) else None
            start = going_on.offset if going_on else 0
            lines = tail.complete_lines(descriptor, start, max_lines=STRETCH_LINES, max_bytes=STRETCH_BYTES)
            head, last = cursors.fingerprint(descriptor, lines.offset)
        finally:
            os.close(descriptor)
        # A log that is not read to its end keeps a size that no stat will show, so that every scan takes it up again.
        size, key = info.st_size if lines.at_end else -1, cursors.key_of(path)
        now = Cursor(key, info.st_dev, info.st_ino, size, info.st_mtime_ns, lines.offset, head, last)
        return self._part(now, lines, restart=going_on is None), lines.at_end

    def _part(self, cursor: Cursor, lines: tail.Lines, *, restart: bool) -> Part:
        name, bad = os.path.basename(cursor.path), list(lines.too_large)
        read: list[tuple[int, bytes, Record]] = []
        for offset, line in _whole(lines):
            if (said := observations.record_of(line)) is None:
                bad.append(offset)
            else:
                read.append((offset, line, said))
        found: list[Observation] = []
        redactions: dict[bytes, Mapping[str, int]] = {}
        clean = observation_secrets.redacted([record for _, _, record in read])
        for (offset, line, _), (record, kinds) in zip(read, clean, strict=True):
            one = observations.observation_of(name, offset, line, record)
            if one is None:
                bad.append(offset)
            elif not self.is_excluded(one.project):
                found.append(one)
                redactions[one.key] = kinds
        whole = sorted(
            offset for offset in bad if offset < cursor.offset
        )  # what is still written is not bad yet
        return Part(cursor, restart, found, whole, redactions)

    def is_excluded(self, project: str | None) -> bool:
        """True of a project in an excluded folder: by its path, else by the folders and projects that have its name."""
        folders = self._exclusions.folders
        if project is None or not folders:
            return False
        if any(os.path.basename(os.path.normpath(folder)) == project for folder in folders):
            return True
        paths = [project] if project.startswith("/") else self._db.read_now(_paths, project)
        return any(map(self._exclusions.cover, paths))


def _paths(connection: Connection, name: str) -> list[str]:
    return [attribution.path_of(connection, row) for row in attribution.named(connection, name)]


def _whole(lines: tail.Lines) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something; the last one too where it lacks only its newline (R2)."""
    yield from ((offset, line) for offset, line in lines.lines if line.strip(b"\0 \t\r"))
    if lines.at_end and is_whole(lines.rest):
        yield lines.offset, lines.rest
