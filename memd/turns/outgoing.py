"""What is still to be told to a shared store, and that it was told.

New turns stand behind a row, new vectors behind a number, and what has changed of what was told stands in a table that
triggers write. A parcel is what one snapshot finds of it; it is struck off once the store has said yes, so that a crash
in between tells it twice, and ids keep it single. What changed while it was on its way is told once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.turns import own, serving, sharing
from memd.turns.own import OwnSession, OwnTurn, OwnVectors, Speaker
from memd.turns.serving import Placed
from memd.turns.sharing import Known

MOST_TURNS = 500
MOST_BYTES = 2 << 20  # of texts, and of vectors
MOST_WINDOWS = 2_000


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is to be told next. ``noted`` are the numbers of the changes in it.

    New turns stand behind the row ``start``; ``end`` is the last that was looked at, with the turn there. ``vector`` is
    the last vector, of the space with that key. ``described`` are the sessions of which something is told, each with a
    user who speaks in it.
    """

    turns: Sequence[OwnTurn] = ()
    changed: Sequence[OwnTurn] = ()
    sessions: Mapping[str, OwnSession] = field(default_factory=dict)
    described: Set[Speaker] = frozenset()
    vectors: Sequence[OwnVectors] = ()
    space: str | None = None
    vector: int | None = None
    forgotten: Sequence[str] = ()
    noted: Sequence[int] = ()
    start: int = 0
    end: tuple[int, str] | None = None


def is_behind(connection: Connection, store: int) -> bool:
    """Whether there is anything to tell."""
    if connection.execute("SELECT 1 FROM outgoing WHERE store_id = ? LIMIT 1", (store,)).get is not None:
        return True
    known = sharing.known(connection, store)
    newest = connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get
    placed = serving.serving(connection)
    return int(newest) > known.turn or (
        placed is not None and _last_vector(connection) > _told_vector(known, placed)
    )


def count(connection: Connection, store: int) -> int:
    """How many turns are to be told, told anew, or forgotten there."""
    noted = connection.execute(
        "SELECT count(*) FROM outgoing WHERE store_id = ? AND kind <> 'session'", (store,)
    ).get
    return own.count_behind(connection, sharing.known(connection, store).turn) + int(noted)


def parcel(connection: Connection, store: int) -> Parcel | None:
    """What is to be told next; None where there is nothing."""
    known, placed = sharing.known(connection, store), serving.serving(connection)
    noted = _noted(connection, store)
    turns, end = _new(connection, known)
    if not noted.numbers and end is None:
        return _new_vectors(connection, known)
    said = [*turns, *noted.turns]
    described = own.speakers(connection, noted.sessions) | {(turn.session, turn.user) for turn in said}
    return Parcel(
        turns,
        noted.turns,
        own.sessions(connection, {key for key, _ in described}),
        described,
        _vectors_of(connection, placed, said),
        placed.key if placed else None,
        _last_vector(connection) if not known.turn else None,  # each turn comes with what it has
        noted.forgotten,
        noted.numbers,
        known.turn,
        end,
    )


def told(connection: Connection, store: int, parcel: Parcel, new: int) -> None:
    """The store has taken the parcel; ``new`` turns of it were told for the first time."""
    if parcel.end is not None:
        _pass(connection, store, parcel, *parcel.end, new)
    connection.executemany("DELETE FROM outgoing WHERE number = ?", [(number,) for number in parcel.noted])
    if parcel.vector is not None:
        connection.execute(
            "UPDATE shared_store SET space = ?, vector = ? WHERE id = ?",
            (parcel.space, parcel.vector, store),
        )


def note_forgotten(connection: Connection, store: int, turns: Iterable[str]) -> None:
    """These turns are to go from the store, too."""
    _note(connection, store, "forgotten", turns)


def strike_forgotten(connection: Connection, store: int, turns: Iterable[str]) -> None:
    """These need not be forgotten there any more: it was the store that told to."""
    connection.executemany(
        "DELETE FROM outgoing WHERE store_id = ? AND kind = 'forgotten' AND key = ?",
        [(store, turn) for turn in turns],
    )


def _note(connection: Connection, store: int, kind: str, keys: Iterable[str]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO outgoing (store_id, kind, key) VALUES (?, ?, ?)",
        [(store, kind, key) for key in keys],
    )


def _pass(connection: Connection, store: int, parcel: Parcel, row: int, turn: str, new: int) -> None:
    """Go on behind the parcel; where its first row, or the turn in its last, is another by now, it is told anew."""
    if sharing.known(connection, store).turn != parcel.start:
        return
    if connection.execute("SELECT id FROM turn WHERE rowid = ?", (row,)).get != turn:
        return
    connection.execute("UPDATE shared_store SET turn = ?, told = told + ? WHERE id = ?", (row, new, store))
    now = own.states(connection, [one.row for one in parcel.turns])
    changed = [one.id for one in parcel.turns if now.get(one.row, one.state) != one.state]
    _note(connection, store, "turn", changed)


class _Noted(NamedTuple):
    """What has changed of what was told, and the numbers under which that stands."""

    turns: Sequence[OwnTurn]
    sessions: Sequence[str]
    forgotten: Sequence[str]
    numbers: Sequence[int]


def _noted(connection: Connection, store: int) -> _Noted:
    """As much of it as fits; a turn that is no more, or is another machine's now, is passed over."""
    notes = connection.execute(
        "SELECT number, kind, key FROM outgoing WHERE store_id = ? ORDER BY number LIMIT ?",
        (store, MOST_TURNS),
    ).fetchall()
    found = own.named(connection, _keys(notes, "turn"))
    turns = _fitting(found)
    late = {turn.id for turn in found[len(turns) :]}
    numbers = [driver.number(number) for number, kind, key in notes if kind != "turn" or key not in late]
    return _Noted(turns, _keys(notes, "session"), _keys(notes, "forgotten"), numbers)


def _keys(notes: Sequence[Row], kind: str) -> list[str]:
    return [str(key) for _, one, key in notes if one == kind]


def _new(connection: Connection, known: Known) -> tuple[Sequence[OwnTurn], tuple[int, str] | None]:
    """The next turns that were never told, and where that ends; what lies between them is passed over."""
    found = own.behind(connection, known.turn, MOST_TURNS)
    turns = _fitting(found)
    if len(turns) < len(found) or len(found) == MOST_TURNS:
        return turns, (turns[-1].row, turns[-1].id)
    row, turn = connection.execute("SELECT rowid, id FROM turn ORDER BY rowid DESC LIMIT 1").fetchone() or (
        0,
        "",
    )
    return turns, (driver.number(row), str(turn)) if driver.number(row) > known.turn else None


def _fitting(turns: Sequence[OwnTurn]) -> Sequence[OwnTurn]:
    """As many of them as fit in a parcel, one at least."""
    size = 0
    for number, turn in enumerate(turns):
        size += len(turn.text.encode("utf-8", "surrogatepass"))
        if number and size > MOST_BYTES:
            return turns[:number]
    return turns


def _last_vector(connection: Connection) -> int:
    return int(connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'vector'").get or 0)


def _vectors_of(
    connection: Connection, placed: Placed | None, turns: Sequence[OwnTurn]
) -> Sequence[OwnVectors]:
    """The vectors that these turns have by now."""
    if placed is None or not turns:
        return []
    ids = {turn.id for turn in turns}
    last = max(turn.row for turn in turns)
    found = own.vectors(connection, placed.id, sorted({turn.content for turn in turns}), last)
    return [one._replace(turns=[turn for turn in one.turns if turn[0] in ids]) for one in found]


def _told_vector(known: Known, placed: Placed) -> int:
    return known.vector if placed.key == known.space else 0


def _new_vectors(connection: Connection, known: Known) -> Parcel | None:
    """The next vectors of turns that are told."""
    placed, last = serving.serving(connection), _last_vector(connection)
    if placed is None or last <= _told_vector(known, placed):
        return None
    rows = connection.execute(
        """SELECT v.id, v.content_id, length(v.embedding) + coalesce(length(s.signs), 0) FROM vector v
             LEFT JOIN token_signs s ON s.vector_id = v.id
           WHERE v.id > ? AND +v.space_id = ? ORDER BY v.id LIMIT ?""",
        (_told_vector(known, placed), placed.id, MOST_WINDOWS),
    ).fetchall()
    contents, size = dict[int, int](), 0
    for number, content, length in rows:
        size += driver.number(length)
        if contents and size > MOST_BYTES:
            break
        contents[driver.number(content)] = driver.number(number)
    cut = len(rows) == MOST_WINDOWS or size > MOST_BYTES
    found = own.vectors(connection, placed.id, list(contents), known.turn)
    return Parcel(
        sessions=own.sessions(connection, {session for one in found for _, session in one.turns}),
        vectors=found,
        space=placed.key,
        vector=max(contents.values()) if cut else last,
    )
