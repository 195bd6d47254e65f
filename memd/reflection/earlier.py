"""The stored insights nearest to what is read now, so that a reflection knows what it would repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memd.db.driver import Connection
from memd.memory import table
from memd.memory.entry import MemoryEntry
from memd.memory.which import LIVE
from memd.memory.wording import heavy

MOST = 12
LOOKED_AT = 500  # the newest

_OF = "(e.project_id IS NULL OR ?1 IS NULL OR e.project_id = ?1)"


def nearest(connection: Connection, project: int | None, entries: Iterable[MemoryEntry]) -> list[MemoryEntry]:
    """The live insights of a project and of everywhere that share the most telling words with the entries.

    The newer one first where two share as much; none that shares nothing.
    """
    rows = connection.execute(
        f"{table.SELECT} WHERE {LIVE} AND e.type = 'insight' AND {_OF} ORDER BY e.id DESC LIMIT ?2",
        (project, LOOKED_AT),
    )
    known = [table.entry_of(row) for row in rows]
    words = {one.id: set(heavy(one.content)) for one in known}
    common = Counter(word for one in words.values() for word in one)
    read = {word for entry in entries for word in heavy(entry.content)}
    weights = {one: sum(1 / common[word] for word in words[one] & read) for one in words}
    return [one for one in _best(known, weights) if weights[one.id]][:MOST]


def _best(known: Sequence[MemoryEntry], weights: dict[int, float]) -> list[MemoryEntry]:
    return sorted(known, key=lambda one: (-weights[one.id], -one.id))
