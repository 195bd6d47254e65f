"""The schema of a table of turns in PostgreSQL: made where it is missing, refused where it is newer."""

from __future__ import annotations

import re

from memd.errors import DataUnusable
from memd.turns.stores.postgres.driver import Connection, run

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9_]{1,51}")  # the longest name of an index must fit PostgreSQL's 63 bytes

_SCHEMA = """
CREATE TABLE "{table}" (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL CONSTRAINT "{table}_id" UNIQUE,
  role text NOT NULL,
  content text NOT NULL,
  nuls integer[] NOT NULL DEFAULT '{{}}',
  size integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz,
  user_id text,
  agent_id text,
  run_id text,
  thread bytea NOT NULL,
  metadata json NOT NULL,
  words tsvector NOT NULL
);
CREATE INDEX "{table}_user" ON "{table}" (user_id, created_at, seq) WHERE user_id IS NOT NULL;
CREATE INDEX "{table}_agent" ON "{table}" (agent_id, created_at, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX "{table}_run" ON "{table}" (run_id, created_at, seq) WHERE run_id IS NOT NULL;
CREATE INDEX "{table}_thread" ON "{table}" (thread, created_at, seq);
CREATE INDEX "{table}_words" ON "{table}" USING gin (words) WITH (fastupdate = off);
CREATE TABLE "{table}_meta" (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO "{table}_meta" (key, value) VALUES ('version', '{version}');
"""


def named(table: object) -> str:
    """The name of a table, as it may stand in a statement. ValueError for any other."""
    if not isinstance(table, str) or not _NAME.fullmatch(table):
        raise ValueError(f"table is {table!r}; it must be 1 to 51 letters, digits and underscores")
    return table


def ensure(connection: Connection, table: str) -> None:
    """Make the schema where there is none. DataUnusable for one that is not ours, or of a newer version."""
    if check(connection, table) is not None:
        return
    with connection.transaction():
        run(connection, "SELECT pg_advisory_xact_lock(hashtext(%s))", [f"memd {table}"])
        if check(connection, table) is None:  # another process may have been quicker
            run(connection, _SCHEMA.format(table=table, version=VERSION), None)


def check(connection: Connection, table: str) -> int | None:
    """The version of the schema; None where there is none. DataUnusable for one that is not ours, or newer."""
    tables = run(
        connection,
        "SELECT to_regclass(%s) IS NOT NULL, to_regclass(%s) IS NOT NULL",
        [f'"{table}"', f'"{table}_meta"'],
    ).fetchone()
    if tables == (False, False):
        return None
    if tables != (True, True):
        raise DataUnusable(f"the table {table} is of another kind; give the store a table of its own")
    found = run(connection, f"SELECT value FROM \"{table}_meta\" WHERE key = 'version'").fetchone()
    if found is None or not str(found[0]).isdigit():
        raise DataUnusable(f"the table {table} is of another kind; give the store a table of its own")
    if int(str(found[0])) > VERSION:
        raise DataUnusable(
            f"the table {table} was written by a newer memd (schema {found[0]}, this one knows {VERSION}); update memd"
        )
    return int(str(found[0]))
