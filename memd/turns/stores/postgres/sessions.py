"""Sessions beside a shared table of turns: what is known of each, and whose title may not be known any more."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

import orjson

from memd.turns import tombstones
from memd.turns.shared import Facts, SharedSession
from memd.turns.stores.postgres import table
from memd.turns.stores.postgres.driver import Connection, Row, run

COLUMNS = "t.key, t.user_id, t.agent_id, t.facts::text"
_TITLE = "title"
_ROWS = """unnest(%s::bytea[], %s::text[], %s::text[], %s::text[], %s::text[])
  AS n(id, key, user_id, agent_id, facts)"""
_DESCRIBE = f"""INSERT INTO "{{name}}_session" (id, key, user_id, agent_id, facts)
  SELECT n.id, n.key, n.user_id, n.agent_id, n.facts::json FROM {_ROWS}
  WHERE EXISTS (SELECT 1 FROM "{{name}}" t WHERE t.run_id = n.key AND t.user_id = n.user_id)
  ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, facts = excluded.facts, seq = DEFAULT"""


def key(session: str) -> str:
    """A session's key as a column of a table holds it: NULs shown, the end of a vast one stood for by a hash."""
    shown = session.replace("\0", "\N{SYMBOL FOR NULL}")
    if len(shown.encode()) <= table.LONGEST_ID:
        return shown
    return f"{shown[: table.LONGEST_ID // 8]}…{hashlib.sha256(shown.encode()).hexdigest()}"


def plain(facts: Facts) -> dict[str, object]:
    """Facts in one order, ready for JSON."""
    return {
        name: dict(sorted(value.items())) if isinstance(value, Mapping) else value
        for name, value in sorted(facts.items())
    }


def session(row: Sequence[object]) -> SharedSession:
    """The session in a row of ``COLUMNS``."""
    name, user, agent, facts = row
    return SharedSession(str(name), str(user), table.name(agent), orjson.loads(str(facts)))


def describe(connection: Connection, name: str, told: Sequence[SharedSession]) -> None:
    """Note what is told of sessions that have turns; what is not known now leaves what was known."""
    asked = {_id(one): one._replace(key=key(one.key)) for one in told}
    if not asked:
        return
    untitled = _untitled(connection, name, [one.key for one in asked.values()])
    known = _known(connection, name, list(asked))
    now: dict[bytes, SharedSession] = {}
    for one in told:
        before = now.get(_id(one)) or known.get(_id(one))
        now[_id(one)] = _merged(before, one._replace(key=key(one.key)), untitled)
    news = {id: one for id, one in now.items() if one != known.get(id)}
    _write(connection, _DESCRIBE.format(name=name), news)


def untitle(connection: Connection, name: str, keys: Collection[str]) -> None:
    """Take the titles of these sessions, which never have one again."""
    if not keys:
        return
    run(
        connection,
        f"""INSERT INTO "{name}_untitled" (key) SELECT unnest(%s::bytea[]) ON CONFLICT DO NOTHING""",
        [[tombstones.of_title(one) for one in keys]],
    )
    titled = {
        id: one._replace(facts=_untold(one.facts))
        for id, one in _found(connection, name, "t.key = ANY(%s)", list(keys)).items()
        if _TITLE in one.facts
    }
    _write(connection, _DESCRIBE.format(name=name), titled)


def _merged(before: SharedSession | None, told: SharedSession, untitled: Collection[str]) -> SharedSession:
    facts = dict(before.facts) if before else {}
    news = _untold(told.facts) if told.key in untitled else told.facts
    facts |= {name: value for name, value in news.items() if value is not None or name not in facts}
    return told._replace(facts=plain(facts), agent=told.agent or (before.agent if before else None))  # type: ignore[arg-type]  # facts, sorted


def _untold(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if name != _TITLE}


def _id(one: SharedSession) -> bytes:
    return hashlib.sha256(orjson.dumps([key(one.key), one.user])).digest()


def _untitled(connection: Connection, name: str, keys: Sequence[str]) -> set[str]:
    marks = {tombstones.of_title(one): one for one in keys}
    found = run(connection, f'SELECT key FROM "{name}_untitled" WHERE key = ANY(%s)', [list(marks)])
    return {marks[mark] for (mark,) in found if isinstance(mark, bytes)}


def _known(connection: Connection, name: str, ids: Sequence[bytes]) -> dict[bytes, SharedSession]:
    return _found(connection, name, "t.id = ANY(%s)", ids)


def _found(
    connection: Connection, name: str, where: str, values: Sequence[object]
) -> dict[bytes, SharedSession]:
    rows = run(connection, f'SELECT t.id, {COLUMNS} FROM "{name}_session" t WHERE {where}', [values])
    return {id: session(row) for id, *row in rows if isinstance(id, bytes)}


def _write(connection: Connection, statement: str, rows: Mapping[bytes, SharedSession]) -> None:
    if rows:
        columns = zip(*(_row(id, one) for id, one in rows.items()), strict=True)
        run(connection, statement, [list(column) for column in columns])


def _row(id: bytes, one: SharedSession) -> Row:
    return (id, one.key, one.user, one.agent, orjson.dumps(plain(one.facts)).decode())
