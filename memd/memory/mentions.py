"""Entries that mention a thing by one of its names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.db import driver, fts
from memd.db.driver import Connection, Value
from memd.memory.entry import MemoryEntry
from memd.memory.table import SELECT, entry_of
from memd.memory.which import Which

_PLAIN = re.compile(r"[\w\s.-]+")  # the index sees all of such a name; of C++ it sees no more than the C


def of(
    connection: Connection, names: Sequence[str], limit: int, which: Which
) -> tuple[list[MemoryEntry], int]:
    """Those of the entries that are meant, the ones seen last first, at most so many; and how many there are in all."""
    where, values = _condition(names, which)
    total = driver.number(connection.execute(f"SELECT count(*) FROM entry e WHERE {where}", values).get)
    rows = connection.execute(
        f"{SELECT} WHERE {where} ORDER BY e.created_ms DESC, e.id DESC LIMIT ?", (*values, limit)
    )
    return [entry_of(row) for row in rows], total


def _condition(names: Sequence[str], which: Which) -> tuple[str, list[Value]]:
    among, values = which.condition()
    parts = list[str]()
    for name in names:
        parts.append("e.id IN (SELECT rowid FROM entry_fts WHERE entry_fts MATCH ?)")
        values.append(fts.phrase(name))
        if not _PLAIN.fullmatch(name):
            parts[-1] = f"({parts[-1]} AND instr(lower(e.content), lower(?)) > 0)"
            values.append(name)
    return f"{among} AND ({' OR '.join(parts) or '0'})", values
