"""Whether a filter leaves few turns, and between which rows they stand: then each of them can be looked at.

That a filter leaves many is remembered: turns that are added do not make them fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from memd.db import turn_changes
from memd.db.driver import Connection, Value
from memd.db.keyword import Filter

FEW_TURNS = 8_000
REMEMBERED = 256  # filters


@dataclass(slots=True)
class _Many:
    """The filters that left many turns, as long as none of those was changed or went."""

    changes: int = -1
    filters: set[tuple[str, tuple[Value, ...]]] = field(default_factory=set)


_many: WeakKeyDictionary[Connection, _Many] = WeakKeyDictionary()


def measured(connection: Connection, which: Filter) -> Filter:
    """The filter with what is known of its turns where they are few."""
    if not which.narrow:
        return which
    many, asked = _known(connection), (which.where, tuple(which.values))
    if asked in many.filters:
        return which
    count, first, last = connection.execute(
        f"""SELECT count(*), min(place), max(place) FROM (SELECT t.rowid AS place
            FROM turn t JOIN session s ON s.id = t.session_id WHERE {which.where} LIMIT ?)""",
        (*which.values, FEW_TURNS + 1),
    ).get
    if count <= FEW_TURNS:
        return replace(which, few=True, first=first or 0, last=last or 0)
    if len(many.filters) < REMEMBERED:
        many.filters.add(asked)
    return which


def _known(connection: Connection) -> _Many:
    """What this connection remembers, and nothing where a turn was changed or went since."""
    known, changes = _many.setdefault(connection, _Many()), turn_changes.count(connection)
    if known.changes != changes or len(known.filters) >= REMEMBERED:
        known.changes, known.filters = changes, set()
    return known
