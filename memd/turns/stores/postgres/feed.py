"""How far the feeds of a shared table of turns go, and what was told since a mark.

shared_schema.py says what feeds and horizons are, and how a reader knows that the store is another one.
"""

from __future__ import annotations

from memd.turns.shared import Heard, Mark
from memd.turns.stores.postgres import table
from memd.turns.stores.postgres.driver import Connection, Row, run
from memd.turns.stores.postgres.page import Asked, Page

FEEDS = {
    "session": "_session",
    "turn": "",
    "changed": "_changed",
    "vector": "_vector",
    "forgotten": "_forgotten",
}
WAIT = "3s"  # for whoever is in the midst of adding; others who want to add wait behind us

_ENDS = ", ".join(f'(SELECT coalesce(max(seq), 0) FROM "{{name}}{suffix}")' for suffix in FEEDS.values())
_LOOK = f"""SELECT {_ENDS}, (SELECT sign FROM "{{name}}_told" WHERE seq = %s)"""
# One message that is one transaction: no network lies between taking the lock and giving it back.
_HORIZON = f"""SET LOCAL lock_timeout = '{{wait}}';
  SELECT pg_advisory_xact_lock(hashtext('memd feed {{name}}'));
  SELECT {_ENDS}, seq, sign FROM "{{name}}_told" ORDER BY seq DESC LIMIT 1"""
_SNAPSHOT = """SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = '15s'; SET LOCAL statement_timeout = '60s'"""


def changes(connection: Connection, name: str, mark: Mark, asked: Asked) -> Heard:
    """What was told since. Busy where somebody else is in the midst of adding for too long."""
    ((*ends, sign),) = run(connection, _LOOK.format(name=name), [mark.get("told", 0)])
    is_known = sign is not None and sign == mark.get("sign")
    at = {feed: mark.get(feed, 0) if is_known else 0 for feed in FEEDS}
    if is_known and all(table.number(end) <= read for end, read in zip(ends, at.values(), strict=True)):
        return Heard(mark)
    page = Page(connection, name, asked, at, _horizon(connection, name))
    with connection.transaction():
        run(connection, _SNAPSHOT, None)
        return page.read(restarted=bool(mark) and not is_known)


def _horizon(connection: Connection, name: str) -> dict[str, int]:
    """Below which numbers all that there will ever be can be read now; with the newest sign and its number."""
    while (numbers := _newest(connection, name)) is None:  # somebody emptied the tables by hand
        run(connection, f'INSERT INTO "{name}_told" DEFAULT VALUES')
    return {feed: table.number(one) for feed, one in zip((*FEEDS, "told", "sign"), numbers, strict=True)}


def _newest(connection: Connection, name: str) -> Row | None:
    cursor = run(connection, _HORIZON.format(name=name, wait=WAIT), None)
    while cursor.nextset():
        pass
    return cursor.fetchone()
