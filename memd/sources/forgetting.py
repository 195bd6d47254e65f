"""Forgetting with all that hangs on it: turns, titles that tell of them, projects that nothing is left of.

Each removal is counted, so that the clean-up behind it (memd/tasks/compact.py) sees when there was one more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from memd.db import driver, journal
from memd.db.changesets import Key
from memd.db.driver import Connection
from memd.ledger import replies
from memd.ledger import table as ledger
from memd.sources import attribution, curated, titles
from memd.turns import forget, tombstone_file, tombstones
from memd.turns.forget import Lost


def remove(connection: Connection, rows: Sequence[int]) -> None:
    """Remove the turns of these rows for good; every import passes them over from now on."""
    gone: set[Key] = set()
    for lost in forget.remove(connection, rows):
        if _is_told(connection, lost):
            titles.strike(connection, lost.session)
        if not lost.left:
            gone.add(("session", (lost.row,)))
        if lost.project is not None:
            gone.update(attribution.drop_empty(connection, lost.project))
    _settle(connection, gone)


def remove_curated(connection: Connection, meant: curated.Meant) -> None:
    """Remove entries, things of the graph and observations for good; no log brings them back."""
    _settle(connection, curated.remove(connection, meant))


def _settle(connection: Connection, gone: Collection[Key]) -> None:
    journal.strike(connection, gone)
    replies.forget_all(connection)
    ledger.forget_answers(connection)
    connection.execute(
        "INSERT INTO meta VALUES ('removals', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )


def again(connection: Connection, keys: Collection[bytes]) -> bool:
    """Remove what stands here although it has one of these tombstones; False where there is nothing of it."""
    tombstones.lay(connection, keys)
    meant = curated.returned(connection, tombstones.all_of(connection))
    remove_curated(connection, meant)
    turns = connection.execute("SELECT rowid, id FROM turn").fetchall()
    rows = [driver.number(row) for row, turn in turns if tombstones.of_turn(str(turn)) in keys]
    remove(connection, rows)
    sessions = [str(one) for (one,) in connection.execute("SELECT DISTINCT session FROM file").fetchall()]
    untitled = [one for one in sessions if tombstones.of_title(one) in keys]
    for session in untitled:
        titles.strike(connection, session)
    return bool(meant or rows or untitled)


def level(connection: Connection, file: Path) -> bool:
    """Bring the database and its file of tombstones level, whichever knows more; whether anything had to go for it.

    The file knows more where the database was made anew from transcripts, or is an older one that was brought back.
    """
    held, written = tombstones.all_of(connection), tombstone_file.read(file)
    if fresh := held - written:
        tombstone_file.add(file, sorted(fresh))
    lost = written - held
    return bool(lost) and again(connection, lost)


def removals(connection: Connection) -> int:
    """How many there were so far."""
    return int(connection.execute("SELECT value FROM meta WHERE key = 'removals'").get or 0)


def _is_told(connection: Connection, lost: Lost) -> bool:
    """True where a title tells of what was lost. One that is still to come does so where nothing else is left."""
    return not lost.left or any(
        forget.tells(connection, title, lost) for title in titles.of(connection, lost.session)
    )


def titled(connection: Connection, match: str, projects: Sequence[int] | None) -> list[str]:
    """Sessions (of the projects) with a title that holds a text."""
    keys = connection.execute(
        """SELECT s.key, s.project_id FROM session s UNION SELECT f.session, s.project_id FROM file f
           LEFT JOIN session s ON s.key = f.session"""
    ).fetchall()
    return [
        str(key)
        for key, project in keys
        if (projects is None or project in projects)
        and any(forget.holds(title, match) for title in titles.of(connection, str(key)))
    ]
