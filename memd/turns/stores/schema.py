"""The schema of a SQLite file of turns: made where the file is new, refused where it is another's or newer."""

from __future__ import annotations

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import DataUnusable

VERSION = 1
APPLICATION = 0x6D656D74  # "memt", by which the file is known for a store of turns

_SCHEMA = f"""
CREATE TABLE turn (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  size INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  updated_us INTEGER,
  user_id TEXT,
  agent_id TEXT,
  run_id TEXT,
  metadata TEXT NOT NULL
) STRICT;
CREATE INDEX turn_of_user ON turn (user_id, agent_id, run_id, at_us, seq, size);
CREATE INDEX turn_of_agent ON turn (agent_id, run_id, user_id, at_us, seq, size);
CREATE INDEX turn_of_run ON turn (run_id, user_id, agent_id, at_us, seq, size);
CREATE VIRTUAL TABLE turn_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE turn_vocab USING fts5vocab (turn_fts, 'row');
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


def ensure(connection: Connection, label: str) -> None:
    """Make the schema where there is none. DataUnusable for a file that is not ours, or of a newer version."""
    if check(connection, label) is not None:
        return
    with driver.transaction(connection):
        if check(connection, label) is None:  # another process may have been quicker
            connection.execute(_SCHEMA)


def check(connection: Connection, label: str) -> int | None:
    """The version of the schema; None in an empty file. DataUnusable for a file that is not ours, or newer."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return None
    if connection.execute("PRAGMA application_id").get != APPLICATION:
        raise DataUnusable(f"{label} is a database of another kind; give the store a file of its own")
    version = driver.number(connection.execute("PRAGMA user_version").get)
    if version > VERSION:
        raise DataUnusable(
            f"{label} was written by a newer memd (schema {version}, this one knows {VERSION}); update memd"
        )
    return version
