"""The schema of a table of turns in PostgreSQL: made where it is missing, refused where it is newer."""

from __future__ import annotations

import re

from memd.errors import DataUnusable, NotFound
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
CREATE INDEX "{table}_said" ON "{table}" (user_id, created_at, seq) WHERE role = 'user' AND user_id IS NOT NULL;
CREATE INDEX "{table}_agent" ON "{table}" (agent_id, created_at, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX "{table}_run" ON "{table}" (run_id, created_at, seq) WHERE run_id IS NOT NULL;
CREATE INDEX "{table}_thread" ON "{table}" (thread, created_at, seq);
CREATE INDEX "{table}_words" ON "{table}" USING gin (words) WITH (gin_pending_list_limit = 512);
CREATE TABLE "{table}_day" (
  thread bytea NOT NULL,
  day date NOT NULL,
  user_id text,
  agent_id text,
  run_id text,
  turns bigint NOT NULL,
  size bigint NOT NULL,
  PRIMARY KEY (thread, day)
);
CREATE INDEX "{table}_day_user" ON "{table}_day" (user_id, day) WHERE user_id IS NOT NULL;
CREATE INDEX "{table}_day_agent" ON "{table}_day" (agent_id, day) WHERE agent_id IS NOT NULL;
CREATE INDEX "{table}_day_run" ON "{table}_day" (run_id, day) WHERE run_id IS NOT NULL;
{counting}
CREATE TABLE "{table}_meta" (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO "{table}_meta" (key, value) VALUES ('version', '{version}');
"""

# What scopes hold is told by a row for each day of a thread. Rows are locked in one order, lest two writers wait for
# each other; a day that holds nothing any more leaves no trace of whose it was.
_COUNTING = """
CREATE OR REPLACE FUNCTION "{table}_count"() RETURNS trigger LANGUAGE plpgsql AS $count$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "{table}_day" AS d (thread, day, user_id, agent_id, run_id, turns, size)
      SELECT thread, (created_at AT TIME ZONE 'UTC')::date AS day, user_id, agent_id, run_id, count(*), sum(size)
      FROM added GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2
      ON CONFLICT (thread, day) DO UPDATE SET turns = d.turns + excluded.turns, size = d.size + excluded.size;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO "{table}_day" AS d (thread, day, user_id, agent_id, run_id, turns, size)
      SELECT thread, (created_at AT TIME ZONE 'UTC')::date AS day, user_id, agent_id, run_id, -count(*), -sum(size)
      FROM gone GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2
      ON CONFLICT (thread, day) DO UPDATE SET turns = d.turns + excluded.turns, size = d.size + excluded.size;
    DELETE FROM "{table}_day" d USING gone
      WHERE d.thread = gone.thread AND d.day = (gone.created_at AT TIME ZONE 'UTC')::date AND d.turns = 0;
  END IF;
  RETURN NULL;
END $count$;
CREATE TRIGGER "{table}_added" AFTER INSERT ON "{table}" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_count"();
CREATE TRIGGER "{table}_changed" AFTER UPDATE ON "{table}" REFERENCING NEW TABLE AS added OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_count"();
CREATE TRIGGER "{table}_gone" AFTER DELETE ON "{table}" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_count"();
"""

# Read from the catalogue itself: what a connection once knew to be missing, it takes to be so for a whole transaction.
_TABLES = """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = ANY(%s) AND n.nspname = ANY(current_schemas(false))"""


def named(table: object) -> str:
    """The name of a table, as it may stand in a statement. ValueError for any other."""
    if not isinstance(table, str) or not _NAME.fullmatch(table):
        raise ValueError(f"table is {table!r}; it must be 1 to 51 letters, digits and underscores")
    return table


def ensure(connection: Connection, table: str, create: bool) -> None:
    """Make the schema where there is none. DataUnusable for one that is not ours, or of a newer version."""
    if check(connection, table) is not None:
        return
    if not create:
        raise NotFound(f"there is no table {table}")
    with connection.transaction():
        lock(connection, table)
        if check(connection, table) is None:  # another process may have been quicker
            run(
                connection,
                _SCHEMA.format(table=table, version=VERSION, counting=_COUNTING.format(table=table)),
                None,
            )


def lock(connection: Connection, table: str) -> None:
    """Let nobody else make anything of this table until the transaction ends."""
    run(connection, "SELECT pg_advisory_xact_lock(hashtext(%s))", [f"memd {table}"])


def check(connection: Connection, table: str) -> int | None:
    """The version of the schema; None where there is none. DataUnusable for one that is not ours, or newer."""
    tables = {str(name) for (name,) in run(connection, _TABLES, [[table, f"{table}_meta"]])}
    if not tables:
        return None
    if len(tables) < 2:
        raise DataUnusable(f"the table {table} is of another kind; give the store a table of its own")
    found = run(connection, f"SELECT value FROM \"{table}_meta\" WHERE key = 'version'").fetchone()
    if found is None or not str(found[0]).isdigit():
        raise DataUnusable(f"the table {table} is of another kind; give the store a table of its own")
    if int(str(found[0])) > VERSION:
        raise DataUnusable(
            f"the table {table} was written by a newer memd (schema {found[0]}, this one knows {VERSION}); update memd"
        )
    return int(str(found[0]))
