"""The SQL of observations: the cursors of their logs, the records, and what each of them led to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.sources import observation_texts
from memd.sources.cursors import Cursor
from memd.sources.observations import Observation
from memd.turns import table as turns

ALONE = 3  # deaths over a record that nothing was beside
WHY = f"memd ended {ALONE} times while it was absorbed"

COLUMNS = "o.id, o.at_ms, o.trigger, o.project, o.branch, o.extraction, o.absorbed_ms, o.entries, o.upto"
WAITING = "o.absorbed_ms IS NULL AND o.failed IS NULL"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one log, parsed and redacted; a last line that has no newline yet may be among its records.

    ``bad``: where the lines stand that are no records.
    """

    cursor: Cursor
    restart: bool
    observations: Sequence[Observation]
    bad: Sequence[int]
    redactions: Mapping[bytes, Mapping[str, int]] = field(default_factory=dict)  # by key, then by kind


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as it is stored.

    ``entries``: which entry each statement led to, by the statement's place. ``upto``: as far as it is absorbed.
    """

    id: int
    at_ms: int
    trigger: str
    project: str | None
    branch: str | None
    extraction: Mapping[str, object]
    absorbed_ms: int | None
    entries: Mapping[str, int]
    upto: str | None = None


@dataclass(frozen=True, slots=True)
class TakenFrom:
    """Where a record was taken from: when, on which day of the logs, at what, in which project, the log's name."""

    at_ms: int
    day: str
    trigger: str
    project: str | None
    log: str


def accept(
    connection: Connection, parts: Sequence[Part], follow_up: Callable[[Connection], object] | None
) -> int:
    """Store the records, where each log is read to, and what must follow, all at once (R1); how many were new.

    What was forgotten is not among it, whichever log says it again.
    """
    new = 0
    for part in parts:
        log = _log(connection, part)
        for observation in part.observations:
            if _insert(connection, log, observation):
                new += 1
                turns.count_redactions(connection, part.redactions.get(observation.key, {}))
    if new and follow_up:
        follow_up(connection)
    return new


def _log(connection: Connection, part: Part) -> int:
    """Write the cursor, and count what could not be read; the log's row."""
    cursor = part.cursor
    log: int = connection.execute(
        """INSERT INTO observation_log
             (path, device, inode, size, mtime_ns, offset, head_hash, tail_hash, bad_records)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
           ON CONFLICT (path) DO UPDATE SET device = ?2, inode = ?3, size = ?4, mtime_ns = ?5, offset = ?6,
             head_hash = ?7, tail_hash = ?8, missing = 0, bad_records = iif(?10, 0, bad_records) + ?9
           RETURNING id""",
        (
            cursor.path,
            cursor.device,
            cursor.inode,
            cursor.size,
            cursor.mtime_ns,
            cursor.offset,
            cursor.head_hash,
            cursor.tail_hash,
            len(part.bad),
            part.restart,
        ),
    ).get
    return log


def _insert(connection: Connection, log: int, one: Observation) -> bool:
    connection.execute(
        """INSERT OR IGNORE INTO observation
             (key, log_id, day, position, at_ms, trigger, project, branch, extraction)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            one.key,
            log,
            one.day,
            one.position,
            one.at_ms,
            one.trigger,
            one.project,
            one.branch,
            json.dumps(observation_texts.unforgotten(connection, one.extraction, one.project)),
        ),
    )
    return connection.changes() == 1


def start_over(connection: Connection) -> None:
    """Have every log that is there read from its beginning; what is stored of it is known by its keys."""
    connection.execute("UPDATE observation_log SET size = -1, offset = 0 WHERE NOT missing")


def waiting(connection: Connection, limit: int) -> list[Stored]:
    """Records that wait to be absorbed, in the order of their times."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM observation o WHERE {WAITING} ORDER BY o.at_ms, o.id LIMIT ?", (limit,)
    )
    return [stored_of(row) for row in rows]


def known(connection: Connection, keys: Iterable[bytes]) -> set[bytes]:
    """Of these records, by key, those that are stored."""
    listed = ",".join(f"x'{key.hex()}'" for key in keys)
    return {
        driver.blob(key)
        for (key,) in connection.execute(f"SELECT key FROM observation WHERE key IN ({listed})")
    }


def by_keys(connection: Connection, keys: Iterable[bytes]) -> list[Stored]:
    """These records, absorbed or not, as far as they are stored, in the order of their times."""
    listed = ",".join(f"x'{key.hex()}'" for key in keys)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM observation o WHERE o.key IN ({listed}) ORDER BY o.at_ms, o.id"
    )
    return [stored_of(row) for row in rows]


def waiting_among(connection: Connection, ids: Iterable[int]) -> list[Stored]:
    """Those of these records that still wait."""
    listed = ",".join(str(int(one)) for one in ids)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM observation o WHERE {WAITING} AND o.id IN ({listed}) ORDER BY o.at_ms, o.id"
    )
    return [stored_of(row) for row in rows]


def taken_from(connection: Connection, observation: int) -> TakenFrom | None:
    """Where a record was taken from, absorbed or not; None where it is gone."""
    row: Row | None = connection.execute(
        """SELECT o.at_ms, o.day, o.trigger, o.project, l.path
           FROM observation o JOIN observation_log l ON l.id = o.log_id WHERE o.id = ?""",
        (observation,),
    ).fetchone()
    if row is None:
        return None
    at_ms, day, trigger, project, path = row
    return TakenFrom(
        driver.number(at_ms),
        str(day),
        str(trigger),
        None if project is None else str(project),
        os.path.basename(str(path)),
    )


def count_waiting(connection: Connection) -> int:
    """How many records wait to be absorbed."""
    return int(connection.execute(f"SELECT count(*) FROM observation o WHERE {WAITING}").get)


def mark(
    connection: Connection,
    observation: int,
    now_ms: int,
    entries: Mapping[str, int],
    *,
    bad: int,
    dropped: Mapping[str, int],
) -> None:
    """Note that a record is absorbed, and what came of it."""
    connection.execute(
        """UPDATE observation SET absorbed_ms = ?, entries = ?, bad_items = ?, dropped = ?, upto = NULL
           WHERE id = ?""",
        (now_ms, json.dumps(entries), bad, json.dumps(dropped), observation),
    )


def note_entries(connection: Connection, observation: int, entries: Mapping[str, int]) -> None:
    """Note anew which entries the statements of an absorbed record led to."""
    connection.execute("UPDATE observation SET entries = ? WHERE id = ?", (json.dumps(entries), observation))


def lacking(connection: Connection, after: int, limit: int) -> list[Stored]:
    """Absorbed records behind that row of which an entry is gone."""
    rows = connection.execute(
        f"""SELECT {COLUMNS} FROM observation o WHERE o.absorbed_ms IS NOT NULL AND o.id > ? AND EXISTS
              (SELECT 1 FROM json_each(o.entries) j WHERE j.value NOT IN (SELECT id FROM entry))
            ORDER BY o.id LIMIT ?""",
        (after, limit),
    )
    return [stored_of(row) for row in rows]


def entries(connection: Connection, observation: int) -> dict[str, int]:
    """Which entry each statement of a record led to, by place."""
    rows = connection.execute(
        "SELECT j.key, j.value FROM observation o, json_each(o.entries) j WHERE o.id = ?", (observation,)
    )
    return {str(place): driver.number(entry) for place, entry in rows}


def gone(connection: Connection, stored: Stored) -> set[str]:
    """The statements of a record, by place, whose entries are no more."""
    rows = connection.execute(
        """SELECT j.key FROM observation o, json_each(o.entries) j
           WHERE o.id = ? AND j.value NOT IN (SELECT id FROM entry)""",
        (stored.id,),
    )
    return {str(place) for (place,) in rows}


def blame(connection: Connection, ids: Sequence[int]) -> list[int]:
    """Memd ended while it took these up. Sets aside one that it ended over too often while it was alone; which."""
    if len(ids) != 1:
        return []
    connection.execute("UPDATE observation SET deaths = deaths + 1 WHERE id = ?", ids)
    connection.execute(
        "UPDATE observation SET failed = ? WHERE id = ? AND deaths >= ? AND absorbed_ms IS NULL",
        (WHY, ids[0], ALONE),
    )
    return list(ids) if connection.changes() else []


def set_aside(connection: Connection, observation: int, why: str) -> None:
    """Leave one record alone: it cannot be absorbed, and the others go on."""
    connection.execute("UPDATE observation SET failed = ? WHERE id = ?", (why, observation))


def stored_of(row: Row) -> Stored:
    """The record that a row of ``COLUMNS`` is."""
    observation, at_ms, trigger, project, branch, extraction, absorbed_ms, entries, upto = row
    return Stored(
        driver.number(observation),
        driver.number(at_ms),
        str(trigger),
        None if project is None else str(project),
        None if branch is None else str(branch),
        json.loads(str(extraction)),
        None if absorbed_ms is None else driver.number(absorbed_ms),
        json.loads(str(entries)),
        None if upto is None else str(upto),
    )
