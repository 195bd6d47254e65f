"""Salvage: what can still be read of a damaged database goes into a fresh one.

Rows are read page by page, so that a lost page costs its own rows and no others. What derives from the turns is made
anew, and every transcript that is still there is read again: a turn's id keeps it single.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from memd.db import check, driver, migrate, observed, tables
from memd.db.driver import Connection, Value
from memd.db.observed import Observed
from memd.db.pages import Pages, Record
from memd.db.tables import Table
from memd.db.vector_tables import TABLES
from memd.errors import MemdError
from memd.ids import content_key

# The indexes, the vectors and what the importer remembers of a file's lines are made anew, and files are read again.
DERIVED = {"space", "token_signs", "file_chunk", "native_file", "native_section"} | {
    name for of in TABLES for name in (of.name, of.backlog)
}
# Rows on which others hang, made anew from their number and path; and by which numbers those hang on them.
_HOMES = {
    "project": (
        "INSERT OR IGNORE INTO project (id, name, path, origin) VALUES (?1, ?2, ?2, 'folder')",
        "SELECT project_id AS n FROM entry UNION SELECT project_id FROM watermark",
    ),
    "observation_log": (
        """INSERT OR IGNORE INTO observation_log (id, path, device, inode, size, mtime_ns, offset, head_hash, tail_hash)
           VALUES (?1, ?2, 0, 0, -1, 0, 0, x'', x'')""",
        "SELECT log_id AS n FROM observation",
    ),
}


def fill(target: Path, damaged: Path, why: str, aside: str) -> int:
    """Make a database at ``target`` of what can be read of the damaged one; the number of turns that were saved.

    ``why`` it was damaged and the name it will have ``aside`` are written down in it. DiskFull, CannotCreate or
    StorageFailed where that cannot be; the damaged file is as it was.
    """
    _fold(damaged)
    with driver.translated(), closing(driver.filling(target)) as fresh, closing(Pages(damaged)) as pages:
        migrate.build(fresh, _version(pages) or migrate.newest())
        with driver.transaction(fresh):
            memory = _rescue(pages, fresh)
        migrate.build(fresh, migrate.newest())
        with driver.transaction(fresh):
            _derive(fresh)
            turns = driver.number(fresh.execute("SELECT count(*) FROM turn").get)
            _write_down(fresh, why, turns, memory, aside)
    return turns


def account(connection: Connection) -> str | None:
    """What was written down of the last salvage."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'salvaged'").fetchone()
    return None if row is None else str(row[0])


def _write_down(fresh: Connection, why: str, turns: int, memory: Observed | None, aside: str) -> None:
    text = (
        f"the database was damaged ({why}): {turns:,} turns were salvaged, the rest is read again from the"
        f" transcripts that are still there{f'; {memory}' if memory else ''}; the damaged file is kept as {aside}"
    )
    fresh.execute("INSERT OR REPLACE INTO meta VALUES ('salvaged', ?)", (text,))


def _fold(damaged: Path) -> None:
    """Bring what the WAL still holds into the file, where SQLite can."""
    try:
        with driver.looking(damaged) as connection:
            driver.empty_wal(connection)
    except MemdError:
        pass  # its first page is lost: the WAL is set aside with it


def _version(pages: Pages) -> int:
    return int.from_bytes(pages.header[60:64]) if pages.header else 0


def _rescue(pages: Pages, fresh: Connection) -> Observed | None:
    roots = _roots(pages)
    _copy(pages, roots, fresh)
    _drop_garbled(fresh)
    _keep_sessions(pages, roots, fresh)
    _keep_homes(pages, roots, fresh)
    memory = observed.settle(pages, roots, fresh)
    _tie_up(fresh)
    _drop_unsaid(fresh)
    _read_files_anew(fresh)
    _share_anew(fresh)
    return memory


def _derive(fresh: Connection) -> None:
    """Counts and the text index, from the turns."""
    check.mend(fresh)
    after: int | None = 0
    last = check.clear_index(fresh)
    while after is not None:
        after = check.fill_index(fresh, after, last)


def _roots(pages: Pages) -> dict[str, int]:
    """The root page of every table and index, by name; none where the schema is lost."""
    if pages.header is None:
        return {}
    return {
        str(record[1]): record[3]
        for _, records in pages.tree(1)
        for _, record in records
        if len(record) == 5 and isinstance(record[3], int)
    }


def _copy(pages: Pages, roots: dict[str, int], fresh: Connection) -> None:
    """Every table from its tree; then the leaves that hang on no tree any more, by the shape of their rows."""
    kept = [table for table in tables.ordinary(fresh) if table.name not in DERIVED]
    claimed = {1}
    for table in kept:
        for number, records in pages.tree(roots.get(table.name, 0)):
            if rows := table.rows(records):
                claimed.add(number)
                table.insert(fresh, rows)
    for number in range(2, pages.count + 1):
        if number not in claimed:
            _adopt(pages, number, kept, fresh)


def _adopt(pages: Pages, number: int, kept: list[Table], fresh: Connection) -> None:
    """Store the rows of a stray leaf, where they fit one table and no other.

    The leaf of an index looks like that of a table without rowids, but for a table of one column: an index has two.
    """
    has_rowids, found = pages.leaf(number)
    homes = [
        table for table in kept if table.has_rowid is has_rowids and (has_rowids or len(table.columns) == 1)
    ]
    records: list[Record] = []
    for record in found:
        homes = [table for table in homes if table.rows([record])]
        if not homes:
            return
        records.append(record)
    if len(homes) == 1:
        homes[0].insert(fresh, homes[0].rows(records))


def _drop_garbled(fresh: Connection) -> None:
    """A text that its key does not stand for is not what was said."""
    garbled = [
        (number,)
        for number, key, text in fresh.execute("SELECT id, key, text FROM content")
        if content_key(str(text)) != key
    ]
    fresh.executemany("DELETE FROM content WHERE id = ?", garbled)


def _keep_sessions(pages: Pages, roots: dict[str, int], fresh: Connection) -> None:
    """A session may be lost and its turns not: it comes back under the key that stands in its index."""
    keys = _names(pages, roots, "session")
    orphaned = fresh.execute(
        "SELECT DISTINCT session_id FROM turn WHERE session_id NOT IN (SELECT id FROM session)"
    ).fetchall()
    fresh.executemany(
        "INSERT OR IGNORE INTO session (id, key, format) VALUES (?, ?, 'unknown')",
        [(number, keys.get(number, f"salvaged-{number}")) for (number,) in orphaned],
    )
    # Whatever a transcript says of the session when it is read again is better than a made-up key.
    fresh.execute(
        "UPDATE turn SET claim = 0 WHERE session_id IN (SELECT id FROM session WHERE key GLOB 'salvaged-*')"
    )


def _keep_homes(pages: Pages, roots: dict[str, int], fresh: Connection) -> None:
    """The project of an entry and the log of an observation may be lost, too; each comes back as a session does."""
    if not fresh.execute("SELECT 1 FROM sqlite_schema WHERE name = 'entry'").get:
        return  # a version without them
    for table, (made, held) in _HOMES.items():
        paths = _names(pages, roots, table)
        lost = fresh.execute(f"SELECT n FROM ({held}) WHERE n NOT IN (SELECT id FROM {table})").fetchall()
        fresh.executemany(made, [(number, paths.get(number, f"salvaged-{number}")) for (number,) in lost])


def _names(pages: Pages, roots: dict[str, int], table: str) -> dict[Value, str]:
    """What the rows of a table are called, by number, in its first index."""
    return {
        record[1]: str(record[0])
        for _, records in pages.tree(roots.get(f"sqlite_autoindex_{table}_1", 0))
        for _, record in records
        if len(record) == 2
    }


def _tie_up(fresh: Connection) -> None:
    """Take away references to rows that were lost, or the rows that cannot be without them."""
    for table in tables.ordinary(fresh):
        required = {column.name for column in table.columns if column.required}
        links = fresh.execute('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)', (table.name,))
        for parent, column, key in links.fetchall():
            dangling = f'"{column}" IS NOT NULL AND "{column}" NOT IN (SELECT "{key}" FROM "{parent}")'
            if column in required:
                fresh.execute(f'DELETE FROM "{table.name}" WHERE {dangling}')
            else:
                fresh.execute(f'UPDATE "{table.name}" SET "{column}" = NULL WHERE {dangling}')


def _drop_unsaid(fresh: Connection) -> None:
    """A text whose turns are all lost goes too: read again, it is a new one, and waits for its vectors."""
    fresh.execute("DELETE FROM content WHERE id NOT IN (SELECT content_id FROM turn)")


def _read_files_anew(fresh: Connection) -> None:
    """No cursor holds any longer: a turn behind it may be lost."""
    fresh.execute(
        """UPDATE file SET size = -1, mtime_ns = 0, offset = 0, chunks = 0,
             head = x'', head_hash = x'', tail_hash = x''"""
    )
    if fresh.execute("SELECT 1 FROM sqlite_schema WHERE name = 'observation_log'").get:
        fresh.execute(
            "UPDATE observation_log SET size = -1, mtime_ns = 0, offset = 0, head_hash = x'', tail_hash = x''"
        )


def _share_anew(fresh: Connection) -> None:
    """Rows and vectors have other numbers now, and what was heard may be lost: stores are told and heard once more."""
    if fresh.execute("SELECT 1 FROM sqlite_schema WHERE name = 'shared_store'").get:
        fresh.execute("UPDATE shared_store SET turn = 0, told = 0, vector = 0, mark = '{}'")
