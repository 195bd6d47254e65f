"""Which entries a question is about: one condition for every search, list, count and review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memd.db.driver import Value
from memd.memory.entry import EntryType, Level

LIVE = "e.superseded_ms IS NULL"


@dataclass(frozen=True, slots=True)
class Which:
    """A filter over entries. ``projects`` None means entries of every scope (with a branch: of no other branch).

    With projects: global entries, those of the projects, and those of ``branch`` in them; no other branch's.
    """

    projects: Sequence[int] | None = None
    branch: str | None = None
    type: EntryType | None = None
    level: Level | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    include_superseded: bool = False

    def condition(self) -> tuple[str, list[Value]]:
        """A condition over ``e`` (entry), and its values."""
        parts = ["1"] if self.include_superseded else [LIVE]
        values: list[Value] = []
        if self.projects is not None:
            marks = ",".join("?" * len(self.projects))
            parts.append(
                f"(e.project_id IS NULL OR (e.project_id IN ({marks}) AND (e.branch IS NULL OR e.branch = ?)))"
            )
            values += [*self.projects, self.branch]
        elif self.branch is not None:
            parts.append("(e.branch IS NULL OR e.branch = ?)")
            values.append(self.branch)
        for clause, value in (
            ("e.type = ?", self.type),
            ("e.scope = ?", self.level),
            ("e.created_ms >= ?", self.since_ms),
            ("e.created_ms < ?", self.until_ms),
        ):
            if value is not None:
                parts.append(clause)
                values.append(value)
        return " AND ".join(parts), values
