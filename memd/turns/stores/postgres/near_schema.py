"""The index of vectors beside a shared table of turns, where the server has pgvector (0.5 or later, with HNSW).

``<table>_vector`` has a column ``near`` then: its int8 numbers as they are, for a cosine sees no scale. Each space and
dimension has an HNSW index of its own, made while it is empty, so nobody waits while it is built.

To put a vector into such an index takes a millisecond or more. So it is not done while turns are told, when all others
wait, but right behind that: some vectors at a time, the newest first, under no lock but that of their rows. Vectors of
before there was pgvector come in the same way. All of it is an extra: where it fails, it is left undone.
"""

from __future__ import annotations

import time
from hashlib import sha256
from typing import NamedTuple

from memd.turns.stores.postgres import schema, table
from memd.turns.stores.postgres.driver import Connection, Error, run

PORTION = 200  # vectors at once, which others who want the same rows wait for

GRAPH = "m = 12, ef_construction = 40"  # half the time of pgvector's own, and 97 of the nearest 100 for 99
_LIMITS = """SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL lock_timeout = '2s';
  SET LOCAL statement_timeout = '10s'"""
_HAS_PGVECTOR = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
_EXTENSION = """SELECT pg_advisory_xact_lock(hashtext('memd vector'));
  CREATE EXTENSION IF NOT EXISTS vector"""
# halfvec, of half the size, came with 0.7.
_TYPE = """SELECT quote_ident(n.nspname), CASE WHEN to_regtype(quote_ident(n.nspname) || '.halfvec') IS NULL
    THEN 'vector' ELSE 'halfvec' END
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
  WHERE e.extname = 'vector' AND EXISTS (SELECT 1 FROM pg_am WHERE amname = 'hnsw')"""
_COLUMN = """ALTER TABLE "{name}_vector" ADD COLUMN near {schema}.{type};
  CREATE INDEX "{name}_vector_due" ON "{name}_vector" (seq) WHERE {due}"""
# Longer ones no index can hold.
_DUE = "near IS NULL AND octet_length(embedding) BETWEEN 1 AND 2000"
_KIND = """SELECT quote_ident(n.nspname), y.typname,
    coalesce((regexp_match(e.extversion, '^(\\d+)\\.(\\d+)'))::integer[] >= '{{0,8}}', false)
  FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid JOIN pg_namespace n ON n.oid = y.typnamespace
    JOIN pg_extension e ON e.extname = 'vector'
  WHERE a.attrelid = to_regclass('"{name}_vector"') AND a.attname = 'near' AND NOT a.attisdropped
    AND has_table_privilege(a.attrelid, 'SELECT')"""
_NEWEST = f"""SELECT space, octet_length(embedding) FROM "{{name}}_vector" WHERE {_DUE}
  ORDER BY seq DESC LIMIT 1"""
_IS_INDEXED = "SELECT to_regclass(%s) IS NOT NULL"
_INDEX = """SELECT format('CREATE INDEX IF NOT EXISTS "{index}" ON "{name}_vector"
  USING hnsw ((near::{schema}.{type}({dim})) {schema}.{type}_cosine_ops) WITH ({graph})
  WHERE space = %%L AND {schema}.vector_dims(near) = {dim}', %s::text)"""
_FILL = f"""UPDATE "{{name}}_vector" v SET near = ARRAY(
    SELECT (get_byte(v.embedding, n) # 128) - 128 FROM generate_series(0, octet_length(v.embedding) - 1) n
  )::{{schema}}.{{type}}
  FROM (SELECT seq FROM "{{name}}_vector" WHERE {_DUE} AND space = %s AND octet_length(embedding) = %s
    ORDER BY seq DESC LIMIT {PORTION} FOR NO KEY UPDATE SKIP LOCKED) due
  WHERE v.seq = due.seq"""


class Kind(NamedTuple):
    """Where pgvector lies, which of its types the vectors have, and whether a scan goes on until it has enough."""

    schema: str
    type: str
    goes_on: bool


def kind(connection: Connection, name: str) -> Kind | None:
    """What the vectors of a table are; None where pgvector has none of them."""
    found = run(connection, _KIND.format(name=name)).fetchone()
    return None if found is None else Kind(str(found[0]), str(found[1]), found[2] is True)


def index(name: str, space: str, dim: int) -> str:
    """The name of the index of a space and dimension."""
    return f"{name}_near_{sha256(f'{space} {dim}'.encode()).hexdigest()[:6]}"


def is_indexed(connection: Connection, name: str, space: str, dim: int) -> bool:
    """Whether a space and dimension has its index."""
    return run(connection, _IS_INDEXED, [f'"{index(name, space, dim)}"']).fetchone() == (True,)


def ensure(connection: Connection, name: str) -> None:
    """Have the vectors of a shared table indexed from now on, if the server can, and we may have it do so."""
    if kind(connection, name) is not None or run(connection, _HAS_PGVECTOR).fetchone() is None:
        return
    try:
        with connection.transaction():
            run(connection, _LIMITS, None)
            schema.lock(connection, name)
            if kind(connection, name) is None:  # another machine may have been quicker
                _make(connection, name)
    except Error:
        return  # no right to, or somebody else is at it: words answer, as they do without pgvector


def _make(connection: Connection, name: str) -> None:
    run(connection, _EXTENSION, None)
    for where, type in run(connection, _TYPE).fetchall():
        run(connection, _COLUMN.format(name=name, schema=where, type=type, due=_DUE), None)


def fill(connection: Connection, name: str, seconds: float) -> bool:
    """Put vectors that are due into their index: a portion, and more for about so long; whether some may be left."""
    end = time.monotonic() + seconds
    try:
        found = kind(connection, name)
        while found is not None and _put_some(connection, name, found):
            if time.monotonic() >= end:
                return True
    except Error:
        pass  # the next one who tells tries again
    return False


def _put_some(connection: Connection, name: str, kind: Kind) -> bool:
    with connection.transaction():
        run(connection, _LIMITS, None)
        return _fill_some(connection, name, kind) > 0


def _fill_some(connection: Connection, name: str, kind: Kind) -> int:
    """Put in some of the newest that are due; how many. 0 where there is none, or others are at them."""
    newest = run(connection, _NEWEST.format(name=name)).fetchone()
    if newest is None:
        return 0
    space, dim = str(newest[0]), table.number(newest[1])
    if not is_indexed(connection, name, space, dim):
        _make_index(connection, name, kind, space, dim)
    filling = _FILL.format(name=name, schema=kind.schema, type=kind.type)
    return run(connection, filling, [space, dim]).rowcount


def _make_index(connection: Connection, name: str, kind: Kind, space: str, dim: int) -> None:
    schema.lock(connection, name)
    statement = _INDEX.format(
        index=index(name, space, dim), name=name, schema=kind.schema, type=kind.type, dim=dim, graph=GRAPH
    )
    for (told,) in run(connection, statement, [space]).fetchall():
        run(connection, str(told), None)
