"""The title of a session: the last title record of its file counts.

Old versions put summaries of *other* sessions on top of a file; a summary counts only where its leaf is in this one.
"""

from __future__ import annotations

from collections.abc import Container

from memd.importers.lines import Record
from memd.importers.records import text_of

_FIELDS = {"ai-title": "aiTitle", "custom-title": "customTitle", "agent-name": "agentName", "tag": "tag"}
_MOST_SUMMARIES = 64

Kept = tuple[int, str]  # its number among the title records of the file, and the title


class Titles:
    """The title records of a file so far."""

    def __init__(
        self, count: int = 0, named: Kept | None = None, summaries: dict[str, Kept] | None = None
    ) -> None:
        self._count = count
        self._named = named
        self._summaries = summaries or {}

    def note(self, record: Record) -> None:
        """Take in a record, which may be of any type."""
        kind = record["type"]
        leaf = text_of(record, "leafUuid") if kind == "summary" else None
        title = text_of(record, "summary" if kind == "summary" else _FIELDS.get(str(kind), ""))
        if title is None:
            return
        self._count += 1
        if leaf is None:
            self._named = (self._count, title)
        elif leaf in self._summaries or len(self._summaries) < _MOST_SUMMARIES:
            self._summaries[leaf] = (self._count, title)

    def last(self, uuids: Container[str]) -> str | None:
        """The title, given the uuids of the file's records."""
        found = [kept for leaf, kept in self._summaries.items() if leaf in uuids]
        if self._named:
            found.append(self._named)
        return max(found)[1] if found else None

    def dump(self) -> tuple[int, Kept | None, dict[str, Kept]]:
        """The arguments that make it anew."""
        return self._count, self._named, self._summaries

    def copy(self) -> Titles:
        """An independent copy."""
        return Titles(self._count, self._named, dict(self._summaries))
