"""The title of a session: the last title record of its file counts.

Old versions put summaries of *other* sessions on top of a file; a summary counts only where its leaf is in this one.
A title is made of what was said, so its secrets are taken out as well.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from memd.importers.lines import Record
from memd.importers.records import text_of
from memd.turns.redact import redact

_FIELDS = {
    "summary": "summary",
    "ai-title": "aiTitle",
    "custom-title": "customTitle",
    "agent-name": "agentName",
    "tag": "tag",
}
_MOST_SUMMARIES = 64


class Titles:
    """The title records of a file so far."""

    def __init__(self) -> None:
        self._count = 0
        self._named: tuple[int, str] | None = None  # its number among the title records, and the title
        self._summaries: dict[str, tuple[int, str]] = {}  # by leaf

    def note(self, record: Record) -> None:
        """Take in a record, which may be of any type."""
        kind = str(record["type"])
        title = text_of(record, _FIELDS.get(kind, ""))
        if title is None:
            return
        self._count += 1
        title = redact(title).text  # here already: it is kept with the file's state, too
        leaf = text_of(record, "leafUuid") if kind == "summary" else None
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

    def all(self) -> list[str]:
        """Every title that is kept, those that count nowhere too."""
        kept = [*self._summaries.values(), *([self._named] if self._named else [])]
        return [title for _, title in kept]

    def copy(self) -> Titles:
        """An independent copy."""
        return Titles.load(self.dump())

    def dump(self) -> tuple[object, ...]:
        """All of it as plain values."""
        return self._count, self._named, dict(self._summaries)

    @classmethod
    def load(cls, dumped: Sequence[Any]) -> Titles:
        """What ``dump`` gave."""
        titles = cls()
        count, named, summaries = dumped
        titles._count = count
        titles._named = tuple(named) if named else None
        titles._summaries = {leaf: tuple(kept) for leaf, kept in summaries.items()}
        return titles
