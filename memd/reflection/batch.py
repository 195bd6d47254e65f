"""What a reflection reads next: new entries, then those that there is something new about, then what lies farther back.

Last of all it reads what an earlier one passed over, where somebody asked for that.

The watermark that belongs to a batch has passed what is in it, and nothing else: no entry is skipped for ever (R1).
Without a watermark a first reflection may begin with the entries of the last days; those before follow when there is
room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memd.db import driver
from memd.db.driver import Connection, Value
from memd.memory import table
from memd.memory.entry import MemoryEntry
from memd.reflection import passed_over, watermark
from memd.reflection.unreflected import Wanted
from memd.reflection.watermark import Watermark

SIZE = 50

_SEEN_AGAIN = "JOIN entry_sighting s ON s.entry_id = e.id"


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries to be read, where the watermark stood, and how many are left behind them.

    ``marks``: where the watermark stands before the first of them, and after each.
    """

    entries: Sequence[MemoryEntry]
    before: Watermark | None
    marks: Sequence[Watermark]
    left: int

    @property
    def after(self) -> Watermark:
        """Where the watermark stands once all of them are read."""
        return self.marks[-1]

    def first(self, count: int) -> Batch:
        """The batch of the first of them alone."""
        left = self.left + len(self.entries) - count
        return replace(self, entries=self.entries[:count], marks=self.marks[: count + 1], left=left)


@dataclass(frozen=True, slots=True)
class _Lanes:
    """The three ways in which an entry is unread, by a watermark: as conditions over ``e`` and ``s``."""

    mark: Watermark
    of: str
    values: Sequence[Value]

    def new(self) -> tuple[str, list[Value]]:
        return f"WHERE {self.of} AND e.id > ?", [*self.values, self.mark.entry]

    def again(self) -> tuple[str, list[Value]]:
        where = f"{_SEEN_AGAIN} WHERE {self.of} AND e.id <= ? AND e.id > ? AND s.number > ?"
        return where, [*self.values, self.mark.entry, self.mark.floor, self.mark.sighting]

    def older(self) -> tuple[str, list[Value]]:
        return f"WHERE {self.of} AND e.id <= ?", [*self.values, min(self.mark.floor, self.mark.entry)]

    def all(self) -> Sequence[tuple[str, list[Value]]]:
        return self.new(), self.again(), self.older()


def take(
    connection: Connection,
    project: int | None,
    limit: int = SIZE,
    *,
    now_ms: int,
    since_ms: int | None = None,
) -> Batch:
    """The next entries, at most so many. ``since_ms``: where a first reflection begins."""
    before = watermark.get(connection, project)
    mark = replace(before or _beginning(connection, project, since_ms), at_ms=now_ms)
    lanes = _lanes(project, mark)
    new = _entries(connection, lanes.new(), "e.id", limit)
    again = _entries(connection, lanes.again(), "s.number", limit - len(new))
    older = _entries(connection, lanes.older(), "e.id DESC", limit - len(new) - len(again))
    waiting, seen = _number(connection, lanes.again()), watermark.seen(connection)
    marks = [mark if waiting else replace(mark, sighting=seen)]
    marks += [replace(marks[-1], entry=entry.id) for entry in new]
    for number, entry in enumerate(again, 1):
        upto = seen if number == waiting else _sighting(connection, entry)
        marks.append(replace(marks[-1], sighting=upto))
    marks += [replace(marks[-1], floor=entry.id - 1) for entry in older]
    entries = [*new, *again, *older]
    left = _count(connection, lanes) - len(entries)
    asked = f"{passed_over.AGAIN} WHERE {lanes.of}", [project, *lanes.values]
    if not entries:
        entries = _entries(connection, asked, "e.id", limit)
        marks += [marks[-1]] * len(entries)
        left -= len(entries)
    return Batch(entries, before, marks, left + _number(connection, asked))


def count(connection: Connection, project: int | None) -> int:
    """How many entries there are to be read."""
    mark = watermark.get(connection, project) or Watermark(0, 0)
    return _count(connection, _lanes(project, mark))


def unread(connection: Connection, project: int | None) -> Callable[[int], bool]:
    """Says of the number of an entry whether it is still to be read, or to be read again."""
    mark = watermark.get(connection, project) or Watermark(0, 0)
    rows = connection.execute("SELECT entry_id FROM entry_sighting WHERE number > ?", (mark.sighting,))
    again = {driver.number(entry) for (entry,) in rows}
    again |= set(passed_over.ids(connection, project))
    return lambda entry: entry > mark.entry or entry <= mark.floor or entry in again


def _lanes(project: int | None, mark: Watermark) -> _Lanes:
    of, values = Wanted(project).condition()
    return _Lanes(mark, of, values)


def _beginning(connection: Connection, project: int | None, since_ms: int | None) -> Watermark:
    """The watermark of before the first reflection: below the first entry of the time that it begins with."""
    last = driver.number(connection.execute("SELECT coalesce(max(id), 0) FROM entry").get)
    where, values = Wanted(project, since_ms=since_ms).condition()
    first = connection.execute(f"SELECT min(e.id) FROM entry e WHERE {where}", values).get
    below = (last if first is None else driver.number(first) - 1) if since_ms is not None else 0
    return Watermark(below, 0, below, watermark.seen(connection))


def _entries(
    connection: Connection, lane: tuple[str, list[Value]], order: str, limit: int
) -> list[MemoryEntry]:
    where, values = lane
    rows = connection.execute(f"{table.SELECT} {where} ORDER BY {order} LIMIT ?", (*values, limit))
    return [table.entry_of(row) for row in rows]


def _count(connection: Connection, lanes: _Lanes) -> int:
    return sum(_number(connection, lane) for lane in lanes.all())


def _number(connection: Connection, lane: tuple[str, list[Value]]) -> int:
    where, values = lane
    return driver.number(connection.execute(f"SELECT count(*) FROM entry e {where}", values).get)


def _sighting(connection: Connection, entry: MemoryEntry) -> int:
    number = connection.execute("SELECT number FROM entry_sighting WHERE entry_id = ?", (entry.id,)).get
    return driver.number(number)
