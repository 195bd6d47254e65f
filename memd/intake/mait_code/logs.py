"""The observation logs of mait-code beside its database: what they hold is in there already, and counts once.

A record of before the database's last change is in it where any of its statements is. What such a record says that the
database has lost, to a text that was nearly the same, is stored. Records that are not in it wait to be absorbed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from memd.db.driver import Connection
from memd.intake.log_reading import LogReader
from memd.intake.mait_code.home import MaitCodeHome
from memd.memory import dedup, table, writer
from memd.memory.dedup import Thresholds
from memd.memory.entry import Draft, EntryType, MemoryScope, Source
from memd.memory.writer import Created, Refreshed
from memd.sources import cursors, extraction, observation_table, observations
from memd.sources.extraction import Extraction, Statement
from memd.sources.observation_table import Part, Stored
from memd.sources.scan import Survey

ROUNDED_MS = 1_000  # its times are in whole seconds

Said = tuple[EntryType, str]


def read(reader: LogReader, home: MaitCodeHome, errors: list[str]) -> list[Part]:
    """Every log, redacted; one that cannot be read is told."""
    parts: list[Part] = []
    for file in observations.files(os.fsencode(home.observations), Survey()):
        try:
            parts.extend(_stretches(reader, file.path))
        except OSError as error:
            errors.append(f"{cursors.key_of(file.path)}: {error.strerror}")
    return parts


def _stretches(reader: LogReader, path: bytes) -> Iterator[Part]:
    part, at_end = reader.read(path, None)
    yield part
    while not at_end:
        part, at_end = reader.read(path, part.cursor)
        yield part


def accept(connection: Connection, parts: Sequence[Part]) -> list[Stored]:
    """Store what is new of the logs; every record of them."""
    observation_table.accept(connection, parts, None)
    return [
        record
        for part in parts
        for record in observation_table.by_keys(connection, [one.key for one in part.observations])
    ]


def claims(records: Sequence[Stored]) -> dict[Said, int]:
    """The entries that absorbed records led to, by what these say."""
    found: dict[Said, int] = {}
    for record in records:
        for statement in _read(record).statements:
            if statement.place in record.entries:
                found.setdefault((statement.type, statement.content), record.entries[statement.place])
    return found


class Settling:
    """Marks records that are in the database as absorbed. ``known``: the entries by what they say."""

    def __init__(
        self,
        connection: Connection,
        known: Mapping[Said, int],
        project: Callable[[str], int],
        thresholds: Thresholds,
        now_ms: int,
    ) -> None:
        self._connection, self._known, self._project = connection, known, project
        self._thresholds, self._now_ms = thresholds, now_ms

    def all(self, records: Sequence[Stored], newest_ms: int) -> int:
        """How many were marked."""
        waiting = [one for one in records if one.absorbed_ms is None and one.at_ms <= newest_ms + ROUNDED_MS]
        return sum(map(self._settle, waiting))

    def _settle(self, record: Stored) -> bool:
        said = _read(record)
        drafts = {one.place: self._draft(record, one) for one in said.statements}
        entries = {place: entry for place, draft in drafts.items() if (entry := self._find(draft))}
        if drafts and not entries:
            return False
        for place, draft in drafts.items():
            if place in entries:
                table.add_sources(self._connection, entries[place], draft.sources)
                continue
            match writer.store(self._connection, draft, None, record.at_ms, self._thresholds):
                case Created(id) | Refreshed(id):
                    entries[place] = id
        observation_table.mark(
            self._connection, record.id, self._now_ms, entries, bad=said.bad, dropped=said.dropped
        )
        return True

    def _find(self, draft: Draft) -> int | None:
        known = self._known.get((draft.type, draft.content))
        return known or dedup.find(self._connection, draft, None, self._thresholds).duplicate

    def _draft(self, record: Stored, statement: Statement) -> Draft:
        scope = MemoryScope()
        if statement.level != "global" and record.project is not None:
            branch = record.branch if statement.level == "branch" else None
            scope = MemoryScope(self._project(record.project), branch)
        source = Source("observation", str(record.id))
        return Draft(statement.content, statement.type, statement.importance, scope, [source])


def _read(record: Stored) -> Extraction:
    return extraction.read(record.extraction, record.project, record.branch)
