"""Forgetting entries for good: which are meant, what they are, their removal, and the marks that they leave.

A mark is a hash of type, project and text, and holds none of it. No log brings back what has one; a person may say it
anew. Marks are only ever added, so what is let back has one more: an odd number of them keeps a text away.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from memd.db import driver, journal
from memd.db.changesets import Key
from memd.db.driver import Connection, Value
from memd.ids import derive
from memd.memory import table
from memd.memory.dedup import normalised
from memd.memory.entry import Draft

SHOWN = 5
SHOWN_CHARS = 240

Record = dict[str, object]


@dataclass(frozen=True, slots=True)
class Place:
    """A text, of which type, and of which project by its path."""

    type: str
    project: str | None
    content: str

    def marks(self) -> Iterator[bytes]:
        """Its marks, in the order in which they are laid."""
        for number in count():
            yield bytes.fromhex(
                derive("entry", self.type, self.project or "", normalised(self.content), str(number))
            )


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry in the undo journal: its row, its project, and what it said there."""

    row: Key
    project: Value
    places: Sequence[Place]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries: of these projects (None: and of all there are), that hold a text, none stored behind ``last``."""

    projects: Sequence[int] | None = None
    match: str | None = None
    last: int | None = None

    def fits(self, entry: Value, project: Value, texts: Iterable[str]) -> bool:
        """True of an entry that is meant."""
        match = None if self.match is None else self.match.casefold()
        return (
            (self.projects is None or project in self.projects)
            and (self.last is None or driver.number(entry) <= self.last)
            and (match is None or any(match in text.casefold() for text in texts))
        )


@dataclass(frozen=True, slots=True)
class Gone:
    """What went: rows, and the projects that they were of."""

    rows: Sequence[Key]
    projects: Sequence[int]


def find(connection: Connection, wanted: Wanted) -> list[int]:
    """The entries that are meant."""
    rows = connection.execute("SELECT id, project_id, content FROM entry ORDER BY id")
    return [driver.number(entry) for entry, project, text in rows if wanted.fits(entry, project, [str(text)])]


def undoable(connection: Connection, wanted: Wanted) -> list[Kept]:
    """The entries that undoing would bring back as they are meant, from where they went or to what they said."""
    return [
        one
        for one in _kept(connection)
        if wanted.fits(one.row[1][0], one.project, [place.content for place in one.places])
    ]


def preview(connection: Connection, entries: Sequence[int], undoable: Sequence[Kept]) -> Record:
    """What the entries are: how many, the first few, and the newest there is; how many only undoing would show."""
    first = table.by_ids(connection, entries[:SHOWN])
    return {
        "entries": len(entries),
        "undoable_entries": len([one for one in undoable if one.row[1][0] not in entries]),
        "entry_snippets": [
            {"id": one.id, "entry_type": one.type, "text": one.content[:SHOWN_CHARS]}
            for one in (first[entry] for entry in entries[:SHOWN])
        ],
        "last_entry": connection.execute("SELECT coalesce(max(id), 0) FROM entry").get,
    }


def remove(connection: Connection, entries: Sequence[int], undoable: Sequence[Kept] = ()) -> Gone:
    """Remove entries, live or not, and leave their marks; what was superseded by one follows its successor.

    The rows that went are to be struck from the undo journal, and so are those that are ``undoable``.
    """
    lay(connection, marks(connection, entries, undoable))
    rows: list[Key] = [one.row for one in undoable]
    projects: set[int] = set()
    for entry in table.by_ids(connection, entries).values():
        # Asked anew: the one that this was superseded by may have gone just now.
        successor = connection.execute("SELECT superseded_by FROM entry WHERE id = ?", (entry.id,)).get
        rows.append(("entry", (entry.id,)))
        rows += [
            ("entry_source", (entry.id, one.kind, one.id)) for one in table.sources(connection, entry.id)
        ]
        if entry.scope.project is not None:
            projects.add(entry.scope.project)
        table.delete(connection, entry.id, successor=successor)
    return Gone(rows, sorted(projects))


def marks(connection: Connection, entries: Sequence[int], undoable: Sequence[Kept] = ()) -> list[bytes]:
    """The marks that keep these texts from coming back."""
    found = table.by_ids(connection, entries).values()
    places = {Place(one.type, one.project, one.content) for one in found}
    return _turned(connection, places.union(*(one.places for one in undoable)), away=True)


def lay(connection: Connection, keys: Iterable[bytes]) -> None:
    """Lay marks."""
    connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?)", ((key,) for key in keys))


def is_forgotten(connection: Connection, draft: Draft) -> bool:
    """True of a text that was forgotten, under whatever path its project has or had."""
    if connection.execute("SELECT 1 FROM tombstone LIMIT 1").get is None:
        return False
    held = _held(connection)
    return any(_is_away(held, place) for place in _meant(connection, draft))


def let_back(connection: Connection, draft: Draft) -> None:
    """Let a text be stored again."""
    lay(connection, _turned(connection, _meant(connection, draft), away=False))


def returned(connection: Connection, held: Container[bytes]) -> tuple[list[int], list[Kept]]:
    """The entries that stand there although these marks keep them away, and those that undoing would bring back."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'entry'").get:
        return [], []  # a copy from before there were any
    paths, has = _paths(connection), held.__contains__
    rows = connection.execute("SELECT id, type, project_id, content FROM entry")
    there = [
        driver.number(entry)
        for entry, type, project, text in rows
        if _is_away(has, Place(str(type), paths.get(project), str(text)))
    ]
    return there, [one for one in _kept(connection) if any(_is_away(has, place) for place in one.places)]


_Has = Callable[[bytes], bool]


def _kept(connection: Connection) -> list[Kept]:
    paths = _paths(connection)
    found: list[Kept] = []
    for row, states in journal.states(connection, "entry").items():
        now = connection.execute("SELECT type, project_id FROM entry WHERE id = ?", (row[1][0],)).get
        types = [state["type"] for state in states if state["type"] is not None]
        projects = [state["project_id"] for state in states if state.get("project_id") is not None]
        type, project = now or (types[-1] if types else None, projects[-1] if projects else None)
        texts = {str(state["content"]) for state in states if state["content"] is not None}
        places = [Place(str(type), paths.get(project), text) for text in sorted(texts)]
        found.append(Kept(row, project, places))
    return found


def _paths(connection: Connection) -> dict[Value, str]:
    return {project: str(path) for project, path in connection.execute("SELECT id, path FROM project")}


def _meant(connection: Connection, draft: Draft) -> list[Place]:
    if draft.scope.project is None:
        return [Place(draft.type, None, draft.content)]
    paths = connection.execute(
        "SELECT path FROM project WHERE id = ?1 UNION SELECT path FROM project_alias WHERE project_id = ?1",
        (draft.scope.project,),
    )
    return [Place(draft.type, str(path), draft.content) for (path,) in paths]


def _turned(connection: Connection, places: Iterable[Place], *, away: bool) -> list[bytes]:
    """The marks still missing so that texts are kept away, or are no longer."""
    held = _held(connection)
    turned = (place for place in places if _is_away(held, place) is not away)
    return sorted({next(mark for mark in place.marks() if not held(mark)) for place in turned})


def _is_away(held: _Has, place: Place) -> bool:
    laid = next(number for number, mark in enumerate(place.marks()) if not held(mark))
    return laid % 2 == 1


def _held(connection: Connection) -> _Has:
    return lambda mark: connection.execute("SELECT 1 FROM tombstone WHERE key = ?", (mark,)).get is not None
