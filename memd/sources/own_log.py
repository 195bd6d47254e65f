"""memd's own observation log: a record is written down in the database with what it is for, then appended to its day.

So a kill in between neither loses a record nor writes it twice: the place at which it belongs is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.clock import iso
from memd.db import driver
from memd.db.driver import Connection
from memd.errors import Degraded


@dataclass(frozen=True, slots=True)
class Pending:
    """A record that is to stand in the log of a day: its line, and at which byte the log ended when it was written."""

    id: int
    day: str
    offset: int
    line: bytes


def line_of(
    at_ms: int, trigger: str, project: str | None, branch: str | None, extraction: Mapping[str, object]
) -> bytes:
    """A record as a line of the log."""
    record = {
        "timestamp": iso(at_ms),
        "trigger": trigger,
        "project": project,
        "branch": branch,
        "extraction": extraction,
    }
    return json.dumps(record, ensure_ascii=True).encode() + b"\n"


def size(folder: Path, day: str) -> int:
    """At which byte the log of a day ends."""
    try:
        return os.stat(folder / f"{day}.jsonl").st_size
    except FileNotFoundError:
        return 0


def put(connection: Connection, day: str, offset: int, line: bytes) -> None:
    """Write down a record that is to be appended."""
    connection.execute(
        "INSERT INTO observation_pending (day, offset, line) VALUES (?, ?, ?)", (day, offset, line)
    )


def pending(connection: Connection) -> list[Pending]:
    """The records that are still to be appended, the oldest first."""
    rows = connection.execute("SELECT id, day, offset, line FROM observation_pending ORDER BY id")
    return [
        Pending(driver.number(id), str(day), driver.number(offset), driver.blob(line))
        for id, day, offset, line in rows
    ]


def end(connection: Connection, one: Pending) -> None:
    """The record stands in its log."""
    connection.execute("DELETE FROM observation_pending WHERE id = ?", (one.id,))


def append(folder: Path, one: Pending) -> None:
    """Append a record, unless it stands there: behind a line that a kill cut off. Degraded where the disk fails."""
    path = folder / f"{one.day}.jsonl"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with open(handle, "r+b") as log:
            log.seek(one.offset)
            rest = log.read()
            if one.line in rest:
                return
            if one.line.startswith(rest):  # nothing, or the part of it that a kill left
                log.seek(one.offset)
            elif not rest.endswith(b"\n"):
                log.write(b"\n")
            log.write(one.line)
            log.flush()
            os.fsync(log.fileno())
    except OSError as error:
        raise Degraded(f"{path} cannot be written: {error.strerror or error}") from error
