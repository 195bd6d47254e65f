"""Replies that are paid for and whose effect is not stored yet. Their SQL.

Whoever stores what a reply leads to, or finds that it leads to nothing, forgets it in the same transaction. Should
memd end before that, the same request finds the reply here, and nothing is paid twice. A reply nobody asks for again,
because what it was about has changed, goes after a day.
"""

from __future__ import annotations

from memd.db.driver import Connection

KEPT_MS = 86_400_000


def keep(connection: Connection, payload: bytes, call: int, reply: str, now_ms: int) -> None:
    """Keep the reply to what hashes to ``payload``."""
    prune(connection, now_ms)
    connection.execute(
        "INSERT OR REPLACE INTO ledger_reply (payload, call_id, at_ms, reply) VALUES (?, ?, ?, ?)",
        (payload, call, now_ms, reply),
    )


def kept(connection: Connection, payload: bytes) -> str | None:
    """The reply to it, where there is one."""
    found = connection.execute("SELECT reply FROM ledger_reply WHERE payload = ?", (payload,)).get
    return None if found is None else str(found)


def forget(connection: Connection, call: int | None) -> None:
    """The effect of a call's reply is stored, or it has none: the next time it is asked anew."""
    connection.execute("DELETE FROM ledger_reply WHERE call_id = ?", (call,))


def forget_all(connection: Connection) -> None:
    """No reply may go on telling of what was forgotten."""
    connection.execute("DELETE FROM ledger_reply")


def prune(connection: Connection, now_ms: int) -> int:
    """Those that are over their time go; how many."""
    connection.execute("DELETE FROM ledger_reply WHERE at_ms < ?", (now_ms - KEPT_MS,))
    return connection.changes()
