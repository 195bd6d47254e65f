"""Reading mait-code's database, of every version of its schema.

What its rows say beyond what memd's tables allow is coerced and counted, by what it was: nothing is lost for its form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from memd.db.driver import Connection, Value
from memd.graph import entity as graph
from memd.importers.reasons import Skip
from memd.intake.mait_code.foreign import (
    ForeignEntity,
    ForeignEntry,
    ForeignRelationship,
    ForeignWatermark,
    Rows,
)
from memd.intake.mait_code.home import columns
from memd.memory.entry import TYPES, USUAL, EntryType, clamped
from memd.turns.redact import redact

MOST_CHARS = 100_000

T = TypeVar("T")
Columns = Mapping[str, Value]


class Reading:
    """Reads a database; ``now_ms`` stands for times that cannot be read."""

    def __init__(self, connection: Connection, now_ms: int, *, redact: bool) -> None:
        self._connection, self._now_ms, self._redact = connection, now_ms, redact
        self.rows = Rows()

    def read(self) -> Rows:
        """All its rows."""
        rows = self.rows
        for row in self._table("memory_entries", "id"):
            if entry := self._entry(row):
                rows.entries.append(entry)
                rows.newest_ms = max(rows.newest_ms, entry.created_ms)
        for row in self._table("memory_entities", "id"):
            if entity := self._entity(row):
                rows.entities.append(entity)
        for row in self._table("memory_relationships", "id"):
            rows.relationships.append(self._relationship(row))
        for row in self._table("reflection_watermark", "project"):
            project, last_id = _text(row, "project"), row.get("last_reflected_id")
            if isinstance(last_id, int):
                rows.watermarks.append(ForeignWatermark(project, last_id, self._ms(row, "last_reflected_at")))
        return rows

    def _table(self, name: str, order: str) -> Iterator[Columns]:
        """The rows of a table, with the columns that it has; none where it is not there yet."""
        if held := sorted(columns(self._connection, name)):
            for row in self._connection.execute(f"SELECT {', '.join(held)} FROM {name} ORDER BY {order}"):
                yield dict(zip(held, row, strict=True))

    def _entry(self, row: Columns) -> ForeignEntry | None:
        content = self._clean(_text(row, "content") or "")
        if not content or len(content) > MOST_CHARS:
            self.rows.skipped[Skip.TOO_LARGE if content else Skip.EMPTY] += 1
            return None
        project, branch = self._scope(row)
        ended = row.get("superseded_at") is not None or row.get("superseded_by") is not None
        reviewed = row.get("reviewed_at")
        return ForeignEntry(
            id=_number(row, "id"),
            content=content,
            type=self._type(row),
            importance=self._importance(row),
            created_ms=self._ms(row, "created_at"),
            project=project,
            branch=branch,
            superseded_by=_number(row, "superseded_by") or None,
            superseded_ms=self._ms(row, "superseded_at", "created_at") if ended else None,
            reviewed_ms=None if reviewed is None else _when(reviewed),
        )

    def _type(self, row: Columns) -> EntryType:
        for known in TYPES:
            if known == row.get("entry_type"):
                return known
        return self._coerced("type", "fact")

    def _importance(self, row: Columns) -> int:
        said = row.get("importance", USUAL)
        try:
            given = int(said) if isinstance(said, int | float | str) else None
        except (ValueError, OverflowError):
            given = None
        if given is None:
            return self._coerced("importance", USUAL)
        return given if clamped(given) == given else self._coerced("importance", clamped(given))

    def _scope(self, row: Columns) -> tuple[str | None, str | None]:
        """Project and branch, as far as the scope has them."""
        scope, project, branch = row.get("scope", "global"), _text(row, "project"), _text(row, "branch")
        match scope, project, branch:
            case "global", None, _:
                return None, None
            case "project", str(), _:
                return project, None
            case "branch", str(), str():
                return project, branch
            case "branch", str(), None:
                return self._coerced("scope", (project, None))
        return self._coerced("scope", (None, None))

    def _entity(self, row: Columns) -> ForeignEntity | None:
        name = self._clean(_text(row, "name") or "")
        if not name:
            self.rows.skipped[Skip.EMPTY] += 1
            return None
        said = row.get("entity_type", "unknown")
        type_ = graph.entity_type(said)
        mentions = max(1, _number(row, "mention_count"))
        first, last = self._seen(row)
        return ForeignEntity(
            _number(row, "id"),
            name,
            type_ if type_ == said else self._coerced("entity_type", type_),
            mentions,
            first,
            last,
        )

    def _relationship(self, row: Columns) -> ForeignRelationship:
        said = row.get("relationship_type", "related_to")
        type_ = graph.relationship_type(said)
        first, last = self._seen(row)
        return ForeignRelationship(
            _number(row, "source_entity_id"),
            _number(row, "target_entity_id"),
            type_ if type_ == said else self._coerced("relationship_type", type_),
            self._clean(_text(row, "context") or ""),
            first,
            last,
        )

    def _seen(self, row: Columns) -> tuple[int, int]:
        first, last = self._ms(row, "first_seen", "last_seen"), self._ms(row, "last_seen", "first_seen")
        self.rows.newest_ms = max(self.rows.newest_ms, last)
        return min(first, last), max(first, last)

    def _ms(self, row: Columns, *names: str) -> int:
        """The first of these times that can be read; now where none can."""
        for number, name in enumerate(names):
            moment = _when(row.get(name))
            if moment is not None:
                return self._coerced("time", moment) if number else moment
        return self._coerced("time", self._now_ms)

    def _coerced(self, what: str, value: T) -> T:
        self.rows.coerced[what] += 1
        return value

    def _clean(self, text: str) -> str:
        if not self._redact:
            return text.strip()
        found = redact(text.strip())
        self.rows.redactions.update(found.counts)
        return found.text


def _text(row: Columns, name: str) -> str | None:
    """A text that is not blank; bytes are read as UTF-8."""
    value = row.get(name)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    text = "" if value is None else str(value).strip()
    return text or None


def _number(row: Columns, name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else 0


def _when(value: Value) -> int | None:
    """UTC milliseconds of a time as SQLite and Python write it; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(str(value).strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
