"""Forgetting curated memory with all that hangs on it: entries, what the graph holds, and the observations behind them.

What the undo journal holds of it goes as well: a statement that somebody deleted stands there still.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from memd.db import driver, journal
from memd.db.changesets import Key
from memd.db.driver import Connection
from memd.graph import forget as graph
from memd.memory import forget
from memd.memory.forget import Kept, Wanted
from memd.reflection import proposal_table
from memd.sources import attribution, observation_texts

_NAMED = (("entity", "name"), ("entity_alias", "name"), ("relationship", "context"))


@dataclass(frozen=True, slots=True)
class Meant:
    """What is meant: entries, those that only undoing would bring back, things of the graph, how many observations.

    ``match`` is the text by which it was found, ``of`` the names of the projects it was looked for in (None: all);
    ``held`` are the marks instead, where it was found by these.
    """

    entries: Sequence[int] = ()
    undoable: Sequence[Kept] = ()
    things: graph.Meant = graph.NOTHING
    observations: int = 0
    match: str | None = None
    of: Sequence[str] | None = None
    held: Container[bytes] | None = None

    def __bool__(self) -> bool:
        return bool(self.entries or self.undoable or self.things or self.observations)


def find(connection: Connection, wanted: Wanted) -> Meant:
    """What there is of it. What the graph holds is of no project: it is looked at where all of them are meant."""
    everywhere = wanted.projects is None
    of = None if everywhere else attribution.names(connection, wanted.projects or ())
    return Meant(
        forget.find(connection, wanted),
        forget.undoable(connection, wanted),
        graph.find(connection, wanted.match) if wanted.match and everywhere else graph.NOTHING,
        observation_texts.holding(connection, wanted.match, of),
        wanted.match,
        of,
    )


def returned(connection: Connection, held: Container[bytes]) -> Meant:
    """What stands there although these marks keep it away."""
    things, observed = graph.returned(connection, held), observation_texts.marked(connection, held)
    return Meant(*forget.returned(connection, held), things, observed, held=held)


def preview(connection: Connection, meant: Meant) -> forget.Record:
    """What there is to say of it beforehand."""
    said = forget.preview(connection, meant.entries, meant.undoable)
    return {**said, "graph": len(meant.things), "observations": meant.observations}


def marks(connection: Connection, meant: Meant) -> list[bytes]:
    """The marks that keep it from coming back."""
    found = [*forget.marks(connection, meant.entries, meant.undoable), *graph.marks(meant.things)]
    found += observation_texts.marks_of_entries(connection, meant.entries)
    if meant.observations and meant.held is None:
        found += observation_texts.marks(connection, meant.match, meant.of)
    return found


def remove(connection: Connection, meant: Meant) -> set[Key]:
    """Remove it for good, and leave its marks; the rows that went, now or before, to be struck from the journal."""
    observation_texts.forget_entries(connection, meant.entries)
    if meant.held is not None:
        observation_texts.forget_marked(connection, meant.held)
    elif meant.observations:
        observation_texts.forget(connection, meant.match, meant.of)
    lost = forget.remove(connection, meant.entries, meant.undoable)
    gone = {*lost.rows, *graph.remove(connection, meant.things)}
    if meant.match is not None and meant.of is None:
        gone |= _journaled(connection, meant.match)
    dropped = list[str]()
    for project in lost.projects:
        path = attribution.path_of(connection, project)
        if rows := attribution.drop_empty(connection, project):
            gone.update(rows)
            dropped.append(path)
    entries = {*meant.entries, *(driver.number(one.row[1][0]) for one in meant.undoable)}
    proposal_table.forget_of(connection, entries, dropped)
    return gone


def _journaled(connection: Connection, match: str) -> set[Key]:
    """Rows of the graph that held a text before some change, or after it."""
    said = match.casefold()
    return {
        row
        for table, column in _NAMED
        for row, states in journal.states(connection, table).items()
        if any(said in str(state[column] or "").casefold() for state in states if column in state)
    }
