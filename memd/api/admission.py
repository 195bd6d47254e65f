"""Which turns of an import are stored: those within the window and the limits that are new, their secrets taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memd.api.target import Target
from memd.importers.reasons import Skip
from memd.importers.report import ImportedSession, ImportReport
from memd.turns.redact import redact_all
from memd.turns.store import MemoryItem
from memd.turns.turn import Turn

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Admission:
    """The bounds of one import, and its sums so far."""

    target: Target
    report: ImportReport
    since: datetime | None
    until: datetime | None
    limit: int | None
    redact: bool
    skipped: Counter[str] = field(default_factory=Counter)
    redactions: Counter[str] = field(default_factory=Counter)
    _now: datetime = field(default_factory=lambda: datetime.now(UTC))
    _seen: set[str] = field(default_factory=set)

    def take(self, told: ImportedSession, agent_id: str | None, turns: Sequence[Turn]) -> None:
        """Store what comes in of a piece of a session, and count it there."""
        inside = [item for item in (self._item(told, agent_id, turn) for turn in turns) if self._within(item)]
        self.skipped[Skip.OUTSIDE_WINDOW] += len(turns) - len(inside)
        kept = self._unspoken(inside)
        new, duplicates = self._new(kept)
        if new:
            self.target.add(new)
        told.turns += len(turns)
        told.imported += len(new)
        told.duplicates += duplicates
        told.skipped += len(turns) - len(kept)
        self.report.imported += len(new)
        self.report.duplicates += duplicates

    def finish(self) -> None:
        """Write the sums into the report."""
        self.report.skipped = {str(reason): n for reason, n in self.skipped.items() if n}
        self.report.redactions = dict(self.redactions)

    def _item(self, told: ImportedSession, agent_id: str | None, turn: Turn) -> MemoryItem:
        at_ms = turn.sort_ms if turn.at_ms is None else turn.at_ms
        return MemoryItem(
            turn.id,
            turn.role,
            turn.text.encode("utf-8", "replace").decode(),  # half a character is nothing that can be stored
            self._now if at_ms is None else _EPOCH + timedelta(milliseconds=at_ms),
            user_id=told.user_id,
            agent_id=agent_id,
            run_id=told.run_id,
            metadata={"source": told.format},
        )

    def _within(self, item: MemoryItem) -> bool:
        late_enough = self.since is None or item.created_at >= self.since
        return late_enough and (self.until is None or item.created_at < self.until)

    def _unspoken(self, items: Sequence[MemoryItem]) -> list[MemoryItem]:
        """The turns without their secrets; what holds nothing else then is left out."""
        kept = list(items)
        for number, clean in (redact_all([one.content for one in items]) if self.redact else {}).items():
            self.redactions.update(clean.counts)
            told = items[number].to_dict() | {"content": clean.text}
            kept[number] = MemoryItem.from_dict(told)
        spoken = [one for one in kept if one.content.strip()]
        self.skipped[Skip.EMPTY] += len(kept) - len(spoken)
        return spoken

    def _new(self, items: Sequence[MemoryItem]) -> tuple[list[MemoryItem], int]:
        """The turns that are new, up to the limit, and how many were known."""
        known = self._seen | self.target.known([one.id for one in items])
        new: list[MemoryItem] = []
        duplicates = 0
        for one in items:
            if one.id in known:
                duplicates += 1
            elif self.limit is not None and self.report.imported + len(new) >= self.limit:
                self.report.limited = True
                break
            else:
                new.append(one)
                known.add(one.id)
        self._seen.update(one.id for one in new)
        return new, duplicates
