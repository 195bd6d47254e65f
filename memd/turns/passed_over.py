"""Parts of turns that extraction passed over: the language model gave no usable answer about them, or they are history.

Whoever asks for them has them read. Their SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memd.db import driver
from memd.db.driver import Connection
from memd.turns.unobserved import SPOKEN, WHEN, Spoken, cursor

HISTORY = "history"  # it was said before memd began on this home
_WHOLE = 1 << 31


def put(connection: Connection, parts: Iterable[Spoken], now_ms: int, why: str, job: int | None) -> None:
    """Pass them over, also those that were asked for once more."""
    connection.executemany(
        """INSERT OR REPLACE INTO turn_passed_over (turn_id, start, upto, at_ms, why, job_id)
           VALUES (?, ?, ?, ?, ?, ?)""",
        [(one.id, one.start, len(one.text), now_ms, why, job) for one in parts],
    )


def put_history(connection: Connection, session: int, before_ms: int, now_ms: int) -> None:
    """Pass over what was said before a time and was not read yet."""
    connection.execute(
        f"""INSERT OR IGNORE INTO turn_passed_over (turn_id, start, upto, at_ms, why)
            SELECT t.id, 0, ?, ?, ? FROM turn t JOIN session s ON s.id = t.session_id
            WHERE t.session_id = ? AND t.rowid > ? AND {SPOKEN} AND {WHEN} < ?""",
        (_WHOLE, now_ms, HISTORY, session, cursor(connection, session).row, before_ms),
    )


def remove(connection: Connection, parts: Sequence[Spoken], cut: int = 0) -> None:
    """They were read; the last of them up to the character ``cut``, where that is given."""
    if cut:
        *parts, last = parts
        connection.execute(
            "UPDATE turn_passed_over SET start = ? WHERE turn_id = ? AND start = ?",
            (cut, last.id, last.start),
        )
    connection.executemany(
        "DELETE FROM turn_passed_over WHERE turn_id = ? AND start = ?", [(one.id, one.start) for one in parts]
    )


def ask_again(connection: Connection, session: int) -> None:
    """Have those of a session read by the next extraction."""
    connection.execute(
        """UPDATE turn_passed_over SET again = 1
           WHERE turn_id IN (SELECT id FROM turn WHERE session_id = ?)""",
        (session,),
    )


def parts(connection: Connection, session: int, *, asked_again: bool = False) -> list[Spoken]:
    """Those of a session, the oldest first: all, or those somebody asked for. The text of each ends where it ends."""
    rows = connection.execute(
        """SELECT t.rowid, t.id, t.role, t.at_ms, c.text, p.start, p.upto FROM turn_passed_over p
             JOIN turn t ON t.id = p.turn_id JOIN content c ON c.id = t.content_id
           WHERE t.session_id = ? AND p.again >= ? ORDER BY t.rowid, p.start""",
        (session, int(asked_again)),
    )
    return [
        Spoken(
            driver.number(row),
            str(id),
            str(role),
            None if at_ms is None else driver.number(at_ms),
            str(text)[: driver.number(upto)],
            driver.number(start),
        )
        for row, id, role, at_ms, text, start, upto in rows
    ]


def by_session(connection: Connection) -> Mapping[str, int]:
    """How many turns there are of which a part was passed over, by the id of their session."""
    return driver.pairs(
        connection,
        """SELECT s.key, count(DISTINCT p.turn_id) FROM turn_passed_over p JOIN turn t ON t.id = p.turn_id
             JOIN session s ON s.id = t.session_id WHERE p.why <> 'history' GROUP BY 1 ORDER BY 1""",
    )


def since_ms(connection: Connection) -> int:
    """Since when the oldest of them stands there; 0 where none does."""
    return driver.number(
        connection.execute("SELECT coalesce(min(at_ms), 0) FROM turn_passed_over WHERE why <> 'history'").get
    )
