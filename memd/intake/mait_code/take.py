"""Taking mait-code's rows into memd's tables. A row is known by what it is there, so a second time takes what is new.

What changed there meanwhile follows: an entry that was seen or reviewed again, or that holds no longer. What went here
stays gone. Runs inside one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memd.db import driver
from memd.db.driver import Connection
from memd.graph import table as graph
from memd.ids import derive
from memd.importers.reasons import Skip
from memd.intake.mait_code.foreign import (
    ForeignEntity,
    ForeignEntry,
    ForeignRelationship,
    ForeignWatermark,
    Rows,
)
from memd.memory import forget, table
from memd.memory.entry import Draft, EntryType, MemoryScope
from memd.reflection import unreflected, watermark
from memd.reflection.unreflected import Wanted
from memd.reflection.watermark import Watermark
from memd.sources import attribution

FORMAT = "mait-code"

Said = tuple[EntryType, str]


@dataclass(slots=True)
class Taken:
    """What came of it: entries that are new and that were known, and here what is there by its id."""

    new: int = 0
    known: int = 0
    entities: int = 0
    relationships: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    entries: dict[int, int] = field(default_factory=dict)


class Taking:
    """``all`` takes everything.

    ``claims``: the entries that its logs have led to here, by what these say; the graph has counted them then.
    """

    def __init__(
        self, connection: Connection, aliases: Mapping[str, str], claims: Mapping[Said, int]
    ) -> None:
        self._connection, self._aliases, self._claims = connection, aliases, claims
        self._projects: dict[str, int] = {}
        self.taken = Taken()

    def all(self, rows: Rows) -> Taken:
        """Entries, then what refers to them."""
        unclaimed = self._unclaimed()
        for entry in rows.entries:
            self._entry(entry, unclaimed)
        for entry in rows.entries:
            self._end(entry)
        ours = {entity.id: row for entity in rows.entities if (row := self._entity(entity)) is not None}
        for relationship in rows.relationships:
            self._relationship(relationship, ours)
        for mark in rows.watermarks:
            self._watermark(mark)
        return self.taken

    def project(self, name: str) -> int:
        """The project that mait-code calls so."""
        name = self._aliases.get(name, name)
        if name not in self._projects:
            self._projects[name] = attribution.called(self._connection, name)
        return self._projects[name]

    def _unclaimed(self) -> dict[tuple[str, int | None, str], int]:
        """Entries that no import made, by type, project and text: one that says just the same is the same."""
        rows = self._connection.execute(
            """SELECT id, type, project_id, content FROM entry
               WHERE id NOT IN (SELECT entry_id FROM imported_entry WHERE entry_id IS NOT NULL) ORDER BY id DESC"""
        )
        return {
            (str(type_), None if project is None else driver.number(project), str(text)): driver.number(row)
            for row, type_, project, text in rows
        }

    def _entry(self, entry: ForeignEntry, unclaimed: dict[tuple[str, int | None, str], int]) -> None:
        key = bytes.fromhex(derive(FORMAT, "entry", str(entry.id), entry.content))
        row = self._connection.execute("SELECT entry_id FROM imported_entry WHERE key = ?", (key,)).fetchone()
        if row is not None:
            self.taken.known += 1
            if row[0] is not None:
                self._follow(entry, driver.number(row[0]))
            return
        project = None if entry.project is None else self.project(entry.project)
        draft = Draft(entry.content, entry.type, entry.importance, MemoryScope(project, entry.branch))
        if forget.is_forgotten(self._connection, draft):
            self.taken.skipped[Skip.FORGOTTEN] += 1
            return
        same = unclaimed.pop((entry.type, project, entry.content), None) or self._claimed(entry)
        if same is None:
            same = table.insert(self._connection, draft, entry.created_ms)
            self.taken.new += 1
        else:
            self.taken.known += 1
        self._connection.execute("INSERT INTO imported_entry VALUES (?, ?)", (key, same))
        self._follow(entry, same)

    def _claimed(self, entry: ForeignEntry) -> int | None:
        """The entry that a record of a log with the same words led to, where no other one is it."""
        found = self._claims.get((entry.type, entry.content))
        if found is None or table.get(self._connection, found) is None:
            return None
        taken = self._connection.execute("SELECT 1 FROM imported_entry WHERE entry_id = ?", (found,)).get
        return found if taken is None else None

    def _follow(self, entry: ForeignEntry, ours: int) -> None:
        self.taken.entries[entry.id] = ours
        table.follow(self._connection, ours, entry.created_ms, entry.importance, entry.reviewed_ms)

    def _end(self, entry: ForeignEntry) -> None:
        """What holds no longer there does not hold here; an end that it has here stands."""
        ours = self.taken.entries.get(entry.id)
        if entry.superseded_ms is None or ours is None:
            return
        known = table.get(self._connection, ours)
        if known is None or not known.live:
            return
        successor = self.taken.entries.get(entry.superseded_by or 0)
        table.end(
            self._connection, [ours], entry.superseded_ms, successor=None if successor == ours else successor
        )

    def _entity(self, entity: ForeignEntity) -> int | None:
        """Count the mentions that are new; the row, None where the entity went here."""
        key = bytes.fromhex(derive(FORMAT, "entity", str(entity.id), entity.name))
        before = self._connection.execute("SELECT mentions FROM imported_entity WHERE key = ?", (key,)).get
        here = graph.find(self._connection, entity.name)
        if before is not None and here is None:
            return None
        counted = int(before or 0)
        if before is None and here is not None and self._claims:
            counted = here.mentions
        row = graph.upsert_entity(
            self._connection,
            entity.name,
            entity.type,
            entity.last_seen_ms,
            first_seen_ms=entity.first_seen_ms,
            mentions=max(0, entity.mentions - counted),
        )
        self._connection.execute(
            "INSERT INTO imported_entity VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET mentions = max(mentions, ?2)",
            (key, entity.mentions),
        )
        self.taken.entities += 1
        return row

    def _relationship(self, edge: ForeignRelationship, ours: Mapping[int, int]) -> None:
        source, target = ours.get(edge.source), ours.get(edge.target)
        if source is None or target is None:
            self.taken.skipped["no_entity"] += 1
            return
        graph.upsert_relationship(
            self._connection,
            source,
            target,
            edge.type,
            edge.context,
            edge.last_seen_ms,
            first_seen_ms=edge.first_seen_ms,
        )
        self.taken.relationships += 1

    def _watermark(self, mark: ForeignWatermark) -> None:
        """What was reflected there is so here; but never beyond an entry that was not."""
        project = None if mark.project is None else self.project(mark.project)
        seen = {ours for theirs, ours in self.taken.entries.items() if theirs <= mark.last_id}
        standing = watermark.get(self._connection, project)
        wanted = Wanted(project, standing.entry if standing else None)
        unseen = next((one for one in unreflected.ids(self._connection, wanted) if one not in seen), None)
        upto = max((one for one in seen if unseen is None or one < unseen), default=None)
        if upto is not None and (standing is None or standing.entry < upto):
            watermark.put(self._connection, project, self._moved(standing, upto, mark.at_ms))

    def _moved(self, standing: Watermark | None, upto: int, at_ms: int) -> Watermark:
        """A watermark moved on: what of the entries before it is still to be seen stays so."""
        if standing is None:
            return watermark.upto(self._connection, upto, at_ms)
        return replace(standing, entry=upto, at_ms=at_ms)
