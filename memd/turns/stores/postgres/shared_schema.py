"""What stands beside a table of turns in PostgreSQL where machines share it: sessions, vectors, changes, tombstones.

These and the turns themselves are feeds, read in the order of ``seq``. A row gets its number when it is inserted, but
may be committed after a higher one; a reader that went by the numbers alone would miss it. So every statement that adds
to a feed first takes a lock that all who add may hold at once (a trigger does it, whoever adds and however), until its
transaction ends. A reader takes the same lock for itself alone while it asks how far the numbers go: at that moment
none is given out that is not committed, so below this horizon nothing can appear any more.

The same trigger leaves a row with a random number for each transaction. A reader keeps the newest one with its mark: a
store that does not know it is another one, or was restored from a time before it. Where somebody truncates the turns,
these numbers go too, and everybody tells them again.
"""

from __future__ import annotations

from memd.errors import DataUnusable
from memd.turns.stores.postgres import schema
from memd.turns.stores.postgres.driver import Connection, run

VERSION = 1
KEY = "shared"  # of the version, in the table's meta

_PATIENCE = "SET LOCAL idle_in_transaction_session_timeout = '15s'; SET LOCAL lock_timeout = '10s'"
_SCHEMA = """
CREATE TABLE "{table}_told" (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sign bigint NOT NULL DEFAULT floor(random() * 9e18)::bigint
);
INSERT INTO "{table}_told" DEFAULT VALUES;
CREATE TABLE "{table}_session" (
  id bytea PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  key text NOT NULL,
  user_id text NOT NULL,
  agent_id text,
  facts json NOT NULL
);
CREATE INDEX "{table}_session_key" ON "{table}_session" (key);
CREATE TABLE "{table}_vector" (
  seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  turn bigint NOT NULL REFERENCES "{table}" (seq) ON DELETE CASCADE,
  space text NOT NULL,
  part integer NOT NULL,
  embedding bytea NOT NULL,
  signs bytea NOT NULL,
  PRIMARY KEY (turn, space, part)
);
ALTER TABLE "{table}_vector" ALTER embedding SET STORAGE EXTERNAL, ALTER signs SET STORAGE EXTERNAL;
CREATE TABLE "{table}_changed" (
  turn bigint PRIMARY KEY REFERENCES "{table}" (seq) ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);
CREATE TABLE "{table}_forgotten" (
  key bytea PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);
CREATE TABLE "{table}_untitled" (key bytea PRIMARY KEY);
{triggers}
INSERT INTO "{table}_meta" (key, value) VALUES ('{key}', '{version}');
"""

_TRIGGERS = """
CREATE OR REPLACE FUNCTION "{table}_telling"() RETURNS trigger LANGUAGE plpgsql AS $telling$
BEGIN
  IF current_setting('memd.telling', true) IS DISTINCT FROM '{table}' THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('memd feed {table}'));
    INSERT INTO "{table}_told" DEFAULT VALUES;
    PERFORM set_config('memd.telling', '{table}', true);
  END IF;
  RETURN NULL;
END $telling$;
CREATE TRIGGER "{table}_telling" BEFORE INSERT ON "{table}"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_telling"();
CREATE TRIGGER "{table}_telling" BEFORE INSERT OR UPDATE ON "{table}_session"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_telling"();
CREATE TRIGGER "{table}_telling" BEFORE INSERT ON "{table}_vector"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_telling"();
CREATE TRIGGER "{table}_telling" BEFORE INSERT OR UPDATE ON "{table}_changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_telling"();
CREATE TRIGGER "{table}_telling" BEFORE INSERT ON "{table}_forgotten"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_telling"();

CREATE OR REPLACE FUNCTION "{table}_retold"() RETURNS trigger LANGUAGE plpgsql AS $retold$
BEGIN
  DELETE FROM "{table}_vector" v USING added, gone
    WHERE v.turn = added.seq AND gone.seq = added.seq
      AND (added.content, added.nuls) IS DISTINCT FROM (gone.content, gone.nuls);
  INSERT INTO "{table}_changed" (turn)
    SELECT added.seq FROM added JOIN gone ON gone.seq = added.seq
    WHERE (added.role, added.content, added.nuls, added.created_at, added.thread, added.metadata::text)
      IS DISTINCT FROM (gone.role, gone.content, gone.nuls, gone.created_at, gone.thread, gone.metadata::text)
    ORDER BY 1
    ON CONFLICT (turn) DO UPDATE SET seq = DEFAULT;
  RETURN NULL;
END $retold$;
CREATE TRIGGER "{table}_retold" AFTER UPDATE ON "{table}" REFERENCING NEW TABLE AS added OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_retold"();

CREATE OR REPLACE FUNCTION "{table}_emptied"() RETURNS trigger LANGUAGE plpgsql AS $emptied$
BEGIN
  DELETE FROM "{table}_session" s USING (SELECT DISTINCT run_id, user_id FROM gone) g
    WHERE s.key = g.run_id AND s.user_id = g.user_id AND NOT EXISTS (
      SELECT 1 FROM "{table}" t WHERE t.run_id = s.key AND t.user_id = s.user_id);
  RETURN NULL;
END $emptied$;
CREATE TRIGGER "{table}_emptied" AFTER DELETE ON "{table}" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_emptied"();
CREATE TRIGGER "{table}_left" AFTER UPDATE ON "{table}" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_emptied"();

CREATE OR REPLACE FUNCTION "{table}_truncated"() RETURNS trigger LANGUAGE plpgsql AS $truncated$
BEGIN
  DELETE FROM "{table}_told";
  DELETE FROM "{table}_session";
  DELETE FROM "{table}_day";
  RETURN NULL;
END $truncated$;
CREATE TRIGGER "{table}_truncated" AFTER TRUNCATE ON "{table}"
  FOR EACH STATEMENT EXECUTE FUNCTION "{table}_truncated"();
"""


def ensure(connection: Connection, table: str) -> None:
    """Make the table of turns and what stands beside it where it is missing. DataUnusable as for the table itself."""
    schema.ensure(connection, table, create=True)
    if _is_there(connection, table):
        return
    with connection.transaction():
        run(connection, _PATIENCE, None)
        schema.lock(connection, table)
        if not _is_there(connection, table):
            triggers = _TRIGGERS.format(table=table)
            run(connection, _SCHEMA.format(table=table, key=KEY, version=VERSION, triggers=triggers), None)


def _is_there(connection: Connection, table: str) -> bool:
    found = run(connection, f'SELECT value FROM "{table}_meta" WHERE key = %s', [KEY]).fetchone()
    if found is None:
        return False
    if not str(found[0]).isdigit() or int(str(found[0])) > VERSION:
        raise DataUnusable(
            f"what is shared in the table {table} was written by a newer memd (schema {found[0]}, this one knows"
            f" {VERSION}); update memd"
        )
    return True
