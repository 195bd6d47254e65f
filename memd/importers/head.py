"""The small state of a transcript: counts, what the file tells of its session, and decisions that wait for a line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace

import msgpack

from memd.importers.reasons import Skip
from memd.importers.titles import Titles

_LAYOUT = 1
_MOST_TYPES, _LONGEST_TYPE = 100, 100


@dataclass(slots=True)
class Head:
    """All that is kept of the lines read, but for the tree. Its size does not grow with the file."""

    skipped: Counter[Skip] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)  # records by type that memd does not know
    duplicates: int = 0
    bad_lines: int = 0
    last_bad_offset: int | None = None
    cwd: str | None = None  # the first
    relocated: str | None = None  # where the session moved to last
    branch: str | None = None
    session: str | None = None  # of the first turn
    continues: str | None = None  # the last other session that turns were copied from
    last_ms: int | None = None  # the time of the last turn that had one
    undecided: list[str] = field(default_factory=list)  # turns whose session the next reply may tell
    titles: Titles = field(default_factory=Titles)
    own_run: bool = False  # memd itself asks a model here

    def count_unknown(self, kind: str) -> None:
        """Count a record of an unknown type; a file of nothing but such types stays small here."""
        kind = kind[:_LONGEST_TYPE]
        if kind in self.unknown or len(self.unknown) < _MOST_TYPES:
            self.unknown[kind] += 1

    def copy(self) -> Head:
        """An independent copy."""
        return replace(
            self,
            skipped=self.skipped.copy(),
            unknown=self.unknown.copy(),
            undecided=self.undecided.copy(),
            titles=self.titles.copy(),
        )

    def dump(self) -> bytes:
        """All of it as bytes."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        counts = {str(reason): count for reason, count in self.skipped.items()}
        packed: bytes = msgpack.packb((_LAYOUT, values | {"skipped": counts, "titles": self.titles.dump()}))
        return packed

    @classmethod
    def load(cls, packed: bytes) -> Head:
        """What ``dump`` gave. ValueError where another version of memd wrote it."""
        layout, values = msgpack.unpackb(packed)
        if layout != _LAYOUT:
            raise ValueError(f"the state of a transcript has layout {layout}, not {_LAYOUT}")
        titles = Titles.load(values.pop("titles"))
        skipped = Counter({Skip(reason): count for reason, count in values.pop("skipped").items()})
        unknown = Counter(values.pop("unknown"))
        return cls(skipped=skipped, unknown=unknown, titles=titles, **values)


def titles_in(packed: bytes) -> list[str]:
    """Every title that stands in a head; none in one that this version cannot read."""
    try:
        return Head.load(packed).titles.all() if packed else []
    except ValueError:
        return []


def without_titles(packed: bytes) -> bytes:
    """The head with no title in it; nothing, which has the file read anew, where this version cannot read it."""
    try:
        return replace(Head.load(packed), titles=Titles()).dump() if packed else b""
    except ValueError:
        return b""
