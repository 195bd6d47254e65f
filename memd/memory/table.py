"""The SQL of entries: rows in and out. What may be done to which row is the writer's business."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memd.db import driver, fts
from memd.db.driver import Connection, Row, Value
from memd.memory.entry import Draft, EntryType, MemoryEntry, MemoryScope, Source
from memd.memory.which import Which

LONGEST_CHAIN = 100  # that is shown of what an entry superseded

SELECT = """SELECT e.id, e.content, e.type, e.importance, e.project_id, e.branch, p.path, p.name, e.created_ms,
  e.first_seen_ms, e.sightings, e.reviewed_ms, e.superseded_by, e.superseded_ms
  FROM entry e LEFT JOIN project p ON p.id = e.project_id"""


def insert(
    connection: Connection, draft: Draft, at_ms: int, *, first_seen_ms: int | None = None, sightings: int = 1
) -> int:
    """Store a new entry with its sources; its id."""
    connection.execute(
        """INSERT INTO entry
             (content, terms, type, importance, scope, project_id, branch, created_ms, first_seen_ms, sightings)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            draft.content,
            terms_of(draft.content),
            draft.type,
            draft.importance,
            draft.scope.level,
            draft.scope.project,
            draft.scope.branch,
            at_ms,
            at_ms if first_seen_ms is None else first_seen_ms,
            sightings,
        ),
    )
    entry = connection.last_insert_rowid()
    add_sources(connection, entry, draft.sources)
    return entry


def terms_of(content: str) -> str | None:
    """What is indexed of a content, where that is not the content itself."""
    terms = fts.index_text(content)
    return None if terms == content else terms


def reword(connection: Connection, entry: int, content: str) -> None:
    """Give an entry another wording; its index row follows, and its vectors go."""
    connection.execute(
        "UPDATE entry SET content = ?, terms = ? WHERE id = ?", (content, terms_of(content), entry)
    )


def see(connection: Connection, entry: int, at_ms: int, importance: int, scope: MemoryScope) -> None:
    """Count one more sighting of an entry, maybe from before those that are known; the higher importance holds."""
    connection.execute(
        """UPDATE entry SET sightings = sightings + 1, created_ms = max(created_ms, ?1),
             first_seen_ms = min(first_seen_ms, ?1), importance = max(importance, ?2), scope = ?3, branch = ?4
           WHERE id = ?5""",
        (at_ms, importance, scope.level, scope.branch, entry),
    )


def follow(
    connection: Connection, entry: int, created_ms: int, importance: int, reviewed_ms: int | None
) -> None:
    """Bring an entry up to what another copy of it says; what is newer, or higher, here stands."""
    connection.execute(
        """UPDATE entry SET created_ms = max(created_ms, ?1), first_seen_ms = min(first_seen_ms, ?1),
             importance = max(importance, ?2), reviewed_ms = nullif(max(coalesce(reviewed_ms, 0), ?3), 0)
           WHERE id = ?4""",
        (created_ms, importance, reviewed_ms or 0, entry),
    )


def end(connection: Connection, entries: Iterable[int], at_ms: int, *, successor: int | None) -> None:
    """Let entries be live no longer: superseded by another one, or retired."""
    connection.executemany(
        "UPDATE entry SET superseded_by = ?, superseded_ms = ? WHERE id = ?",
        [(successor, at_ms, entry) for entry in entries],
    )


def delete(connection: Connection, entry: int, *, successor: int | None) -> None:
    """Remove an entry with all that hangs on it; what it superseded points at ``successor`` then, or is retired."""
    connection.execute("UPDATE entry SET superseded_by = ? WHERE superseded_by = ?", (successor, entry))
    connection.execute("DELETE FROM entry WHERE id = ?", (entry,))


def mark_reviewed(connection: Connection, entry: int, at_ms: int) -> None:
    """Note when an entry was looked at last."""
    connection.execute("UPDATE entry SET reviewed_ms = ? WHERE id = ?", (at_ms, entry))


def chain(connection: Connection, entry: int) -> list[MemoryEntry]:
    """The entry and those that superseded it, one after the other; a circle ends where it closes."""
    found: dict[int, MemoryEntry] = {}
    following: int | None = entry
    while following is not None and following not in found:
        one = get(connection, following)
        if one is None:
            break
        found[one.id] = one
        following = one.superseded_by
    return list(found.values())


def predecessors(connection: Connection, entry: int) -> list[MemoryEntry]:
    """The entries that it superseded, and those that they did; the nearest first."""
    rows = connection.execute(
        f"""WITH RECURSIVE before (id, step) AS (
              SELECT id, 1 FROM entry WHERE superseded_by = ?1
              UNION SELECT p.id, step + 1 FROM before b JOIN entry p ON p.superseded_by = b.id WHERE step < ?2
            ) {SELECT} JOIN (SELECT id, min(step) AS step FROM before GROUP BY id) b ON b.id = e.id
            WHERE e.id <> ?1 ORDER BY b.step, e.id""",
        (entry, LONGEST_CHAIN),
    )
    return [entry_of(row) for row in rows]


def add_sources(connection: Connection, entry: int, sources: Iterable[Source]) -> None:
    """Note what an entry rests on, too."""
    connection.executemany(
        "INSERT OR IGNORE INTO entry_source VALUES (?, ?, ?)",
        [(entry, source.kind, source.id) for source in sources],
    )


def sources(connection: Connection, entry: int) -> list[Source]:
    """What an entry rests on."""
    rows = connection.execute(
        "SELECT kind, source FROM entry_source WHERE entry_id = ? ORDER BY kind, source", (entry,)
    )
    return [Source(kind, str(source)) for kind, source in rows]


def get(connection: Connection, entry: int) -> MemoryEntry | None:
    """The entry, live or not."""
    row = connection.execute(f"{SELECT} WHERE e.id = ?", (entry,)).fetchone()
    return None if row is None else entry_of(row)


def by_ids(connection: Connection, ids: Sequence[int]) -> dict[int, MemoryEntry]:
    """The entries that are there, by id."""
    listed = ",".join(str(int(one)) for one in ids)
    rows = connection.execute(f"{SELECT} WHERE e.id IN ({listed})")
    return {entry.id: entry for entry in map(entry_of, rows)}


def contents(connection: Connection) -> list[tuple[int, str]]:
    """What every entry says, live or not."""
    rows = connection.execute("SELECT id, content FROM entry ORDER BY id")
    return [(driver.number(entry), str(content)) for entry, content in rows]


def listing(connection: Connection, which: Which, limit: int, offset: int = 0) -> list[MemoryEntry]:
    """Entries, those seen last first."""
    where, values = which.condition()
    rows = connection.execute(
        f"{SELECT} WHERE {where} ORDER BY e.created_ms DESC, e.id DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [entry_of(row) for row in rows]


def foremost(connection: Connection, which: Which, most: int) -> list[MemoryEntry]:
    """The most important entries and the newest ones, so many of each."""
    where, values = which.condition()
    newest = "e.created_ms DESC, e.id DESC"
    chosen = f"SELECT id FROM (SELECT e.id FROM entry e WHERE {where} ORDER BY {{}} LIMIT ?)"
    rows = connection.execute(
        f"""{SELECT} WHERE e.id IN ({chosen.format(f"e.importance DESC, {newest}")} UNION {chosen.format(newest)})
            ORDER BY {newest}""",
        (*values, most, *values, most),
    )
    return [entry_of(row) for row in rows]


def projects(connection: Connection, which: Which) -> list[str]:
    """The names of the projects that entries are of, whatever their case in order."""
    where, values = which.condition()
    rows = connection.execute(
        f"""SELECT DISTINCT p.name FROM entry e JOIN project p ON p.id = e.project_id WHERE {where}
            ORDER BY p.name COLLATE NOCASE, p.name""",
        values,
    )
    return [str(name) for (name,) in rows]


def fading(
    connection: Connection,
    which: Which,
    now_ms: int,
    half_lives_ms: Mapping[EntryType, int],
    age: float,
    min_importance: int,
    limit: int,
) -> list[MemoryEntry]:
    """Entries of some importance that were reviewed or seen more than ``age`` half-lives ago, the oldest first."""
    where, values = which.condition()
    half_lives = " ".join(f"WHEN '{type}' THEN {float(ms)}" for type, ms in half_lives_ms.items())
    aged = f"(? - coalesce(e.reviewed_ms, e.created_ms)) / CASE e.type {half_lives} END"
    rows = connection.execute(
        f"""{SELECT} WHERE {where} AND e.importance >= ? AND {aged} > ? ORDER BY {aged} DESC, e.id LIMIT ?""",
        (*values, min_importance, now_ms, age, now_ms, limit),
    )
    return [entry_of(row) for row in rows]


def entry_of(row: Row) -> MemoryEntry:
    """The entry that a row of ``SELECT`` is."""
    return MemoryEntry(
        id=driver.number(row[0]),
        content=str(row[1]),
        type=str(row[2]),  # type: ignore[arg-type]  # the table's CHECK
        importance=driver.number(row[3]),
        scope=MemoryScope(_maybe(row[4]), None if row[5] is None else str(row[5])),
        project=None if row[6] is None else str(row[6]),
        project_name=None if row[7] is None else str(row[7]),
        created_ms=driver.number(row[8]),
        first_seen_ms=driver.number(row[9]),
        sightings=driver.number(row[10]),
        reviewed_ms=_maybe(row[11]),
        superseded_by=_maybe(row[12]),
        superseded_ms=_maybe(row[13]),
    )


def _maybe(value: Value) -> int | None:
    return None if value is None else driver.number(value)
