"""Checks of the database and of what derives from turns and entries (R7). ``faults`` tells, ``mend`` makes anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memd.db import driver, fts, turn_changes
from memd.db.driver import Connection
from memd.db.vector_tables import ENTRIES, SECTIONS, TABLES, TEXTS, VectorTable
from memd.errors import Damaged, StorageFailed

BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether it holds, and what was seen."""

    name: str
    ok: bool
    detail: str


def faults(
    connection: Connection, space: int | None, tell: Callable[[int], None] = lambda done: None
) -> list[Check]:
    """Every check with its outcome; ``tell`` hears how many are done. Nothing is written.

    A turn that still waits for its vector is no fault. The connection should be a new one (``Database.apart``): FTS5
    checks the index by what an older one remembers of it.
    """
    looks: dict[str, Callable[[], str]] = {
        "pages": lambda: _pages(connection),
        **{name: partial(_integrity, connection, index) for name, index in _INDEXES.items()},
        **{name: partial(_counted, connection, *count) for name, count in _COUNTS.items()},
    }
    if space:
        looks |= {name: partial(_counted, connection, *count, space) for name, count in _LOST.items()}
    checks: list[Check] = []
    for name, look in looks.items():
        try:
            with driver.translated():
                fault = look()
        except (Damaged, StorageFailed) as error:
            fault = error.message
        checks.append(Check(name, not fault, fault or "ok"))
        tell(len(checks))
    return checks


def require_sound(path: Path, over: Callable[[], bool]) -> None:
    """Damaged where something is wrong with the pages; Timeout where it is ``over`` before all are seen."""
    with driver.looking(path) as connection, driver.until(connection, over):
        fault = _pages(connection)
    if fault:
        raise driver.damaged(fault)


def _pages(connection: Connection) -> str:
    """What is wrong with the pages. What FTS5 says of its index beside it is none of this: that can be made anew."""
    found = _said(connection, "PRAGMA quick_check(20)")
    return "; ".join([line for line in found if "fts5" not in line.lower()][:5])


def _integrity(connection: Connection, index: str) -> str:
    """FTS5's own integrity check, in the form that needs no write."""
    return "; ".join(_said(connection, f"PRAGMA integrity_check({index})"))


def _said(connection: Connection, pragma: str) -> list[str]:
    found = [str(row[0]) for row in connection.execute(pragma)]
    return [] if found == ["ok"] else found


def _counted(connection: Connection, query: str, what: str, *bound: int) -> str:
    found = driver.number(connection.execute(query, bound).get)
    return f"{found} {what}" if found else ""


_INDEXES = {"text index": "turn_fts", "entry index": "entry_fts", "native index": "native_fts"}
_CURATED = {"entry_fts": "entry", "native_fts": "native_section"}


def _differing(index: str, table: str) -> tuple[str, str]:
    return (
        f"""SELECT (SELECT count(*) FROM {table} WHERE rowid NOT IN (SELECT id FROM {index}_docsize))
                 + (SELECT count(*) FROM {index}_docsize WHERE id NOT IN (SELECT rowid FROM {table}))""",
        "rows differ",
    )


def _ownerless(of: VectorTable, what: str) -> tuple[str, str]:
    return f"SELECT count(*) FROM {of.name} WHERE {of.owner} NOT IN (SELECT id FROM {of.texts})", what


def _lost(of: VectorTable, what: str) -> tuple[str, str]:
    """Of a space: what has no vector and waits for none."""
    return (
        f"""SELECT count(*) FROM {of.texts} c
            WHERE NOT EXISTS (SELECT 1 FROM {of.name} v WHERE v.{of.owner} = c.id AND v.space_id = ?1)
              AND NOT EXISTS (SELECT 1 FROM {of.backlog} b WHERE b.{of.owner} = c.id AND b.space_id = ?1)""",
        what,
    )


# What a check counts, and what it says of them.
_COUNTS = {
    "text index against turns": _differing("turn_fts", "turn"),
    "entry index against entries": _differing("entry_fts", "entry"),
    "native index against sections": _differing("native_fts", "native_section"),
    "turns against texts": (
        "SELECT count(*) FROM turn WHERE content_id NOT IN (SELECT id FROM content)",
        "turns have no text",
    ),
    "vectors against texts": _ownerless(TEXTS, "vectors belong to no text"),
    "token signs against vectors": (
        "SELECT count(*) FROM token_signs WHERE vector_id NOT IN (SELECT id FROM vector)",
        "token signs belong to no vector",
    ),
    "vectors against entries": _ownerless(ENTRIES, "vectors belong to no entry"),
    "vectors against sections": _ownerless(SECTIONS, "vectors belong to no section"),
    "sessions against turns": (
        "SELECT count(*) FROM session s WHERE s.turns <> (SELECT count(*) FROM turn t WHERE t.session_id = s.id)",
        "sessions count wrongly",
    ),
}
_TEXT_LOST, _WAITS = _lost(TEXTS, "texts have no vector and wait for none")
_LOST = {
    "texts against vectors": (
        f"""{_TEXT_LOST} AND c.id <= (SELECT covered FROM space WHERE id = ?1)
              AND EXISTS (SELECT 1 FROM turn t WHERE t.content_id = c.id)""",
        _WAITS,
    ),
    "entries against vectors": _lost(ENTRIES, "entries have no vector and wait for none"),
    "sections against vectors": _lost(SECTIONS, "sections have no vector and wait for none"),
}


def indexed(connection: Connection) -> tuple[int, int]:
    """How many turns, entries and sections there are, and how many the text indexes know."""
    rows, known = connection.execute(
        """SELECT (SELECT count(*) FROM turn) + (SELECT count(*) FROM entry) + (SELECT count(*) FROM native_section),
             (SELECT count(*) FROM turn_fts_docsize) + (SELECT count(*) FROM entry_fts_docsize)
               + (SELECT count(*) FROM native_fts_docsize)"""
    ).get
    return driver.number(rows), driver.number(known)


def clear_index(connection: Connection) -> int:
    """Empty the text index; the last row for ``fill_index`` to bring back. What is stored later indexes itself."""
    connection.execute("INSERT INTO turn_fts (turn_fts) VALUES ('delete-all')")
    turn_changes.note(connection)
    return driver.number(connection.execute("SELECT coalesce(max(rowid), 0) FROM turn").get)


def fill_index(connection: Connection, after: int, last: int) -> int | None:
    """Index the next turns after a row, up to the last; where to go on, or None at the end."""
    rows = connection.execute(
        "SELECT t.rowid, c.text FROM turn t JOIN content c ON c.id = t.content_id WHERE t.rowid > ? AND t.rowid <= ?"
        " ORDER BY t.rowid LIMIT ?",
        (after, last, BATCH_ROWS),
    ).fetchall()
    fts.insert(connection, [(driver.number(rowid), str(text)) for rowid, text in rows])
    turn_changes.note(connection)
    return driver.number(rows[-1][0]) if rows else None


def mend(connection: Connection) -> None:
    """Take out what belongs to nothing, count anew, and make the indexes of entries and sections anew."""
    for of in TABLES:
        for table in (of.name, of.backlog):
            connection.execute(f"DELETE FROM {table} WHERE {of.owner} NOT IN (SELECT id FROM {of.texts})")
    connection.execute("DELETE FROM token_signs WHERE vector_id NOT IN (SELECT id FROM vector)")
    connection.execute(
        """UPDATE session SET (turns, started_ms, last_ms) =
             (SELECT count(*), min(sort_ms), max(sort_ms) FROM turn t WHERE t.session_id = session.id)"""
    )
    for index, table in _CURATED.items():
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
        connection.execute(
            f"INSERT INTO {index} (rowid, text) SELECT id, coalesce(terms, content) FROM {table}"
        )


def compact(connection: Connection) -> bool:
    """Leave nothing of deleted text behind: not in the indexes' segments, nor in free pages, nor in the WAL.

    False where a reader still needs the WAL: it must be emptied later.
    """
    for index in _INDEXES.values():
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    # secure_delete alone does not do: where rows moved between pages, copies stay in the gaps (of 300 texts, 4).
    # What VACUUM copies aside would fill the memory otherwise; the file has no name and goes by itself.
    connection.execute("PRAGMA temp_store=FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store=MEMORY")
    return driver.empty_wal(connection)
