"""The SQL of the ledger: a row is written before a call, corrected after it, and never removed.

How an answer began that was of no use goes with what is forgotten.
"""

from __future__ import annotations

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.ledger import budget
from memd.ledger.budget import Caps, Spent
from memd.ledger.call import NOTHING, Answer, Call, Result, Tokens

ANSWER_CHARS = 200  # of an answer of no use

_COLUMNS = "id, at_ms, job_id, purpose, model, input_tokens, cached_tokens, output_tokens, price, result"


def reserve(connection: Connection, call: Call, caps: Caps) -> int:
    """Write down a call that is about to be made, by its estimate; its number. BudgetSpent where there is no room."""
    budget.require_room(caps, spent(connection, call.at_ms), call.tokens, call.price, call.at_ms)
    tokens = call.tokens
    connection.execute(
        """INSERT INTO ledger (at_ms, job_id, purpose, model, input_tokens, cached_tokens, output_tokens, price, result)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(call.at_ms, call.job, call.purpose, call.model),
            *(tokens.input, tokens.cached, tokens.output, call.price, call.result),
        ),
    )
    return connection.last_insert_rowid()


def correct(connection: Connection, number: int, result: str, tokens: Tokens, price: float | None) -> None:
    """What a call came to, and what it took."""
    connection.execute(
        """UPDATE ledger SET result = ?, input_tokens = ?, cached_tokens = ?, output_tokens = ?, price = ?
           WHERE id = ?""",
        (result, tokens.input, tokens.cached, tokens.output, price, number),
    )


def fail(connection: Connection, number: int, result: str, *, free: bool) -> None:
    """How a call failed. Where it may have been charged all the same its estimate stays."""
    if free:
        correct(connection, number, result, NOTHING, 0.0)
    else:
        connection.execute("UPDATE ledger SET result = ? WHERE id = ?", (result, number))


def keep_answer(connection: Connection, number: int, text: str) -> None:
    """Keep how an answer began that was of no use; no secret is in it."""
    connection.execute("UPDATE ledger SET answer = ? WHERE id = ?", (text[:ANSWER_CHARS], number))


def answers(connection: Connection, job: int) -> list[Answer]:
    """The answers of no use that a job had, the oldest first."""
    rows = connection.execute(
        "SELECT at_ms, result, answer FROM ledger WHERE job_id = ? AND answer IS NOT NULL ORDER BY id", (job,)
    )
    return [Answer(driver.number(at_ms), str(result), str(text)) for at_ms, result, text in rows]


def forget_answers(connection: Connection, before_ms: int | None = None) -> None:
    """Keep nothing of the answers to calls from before a time; None: of any."""
    connection.execute(
        "UPDATE ledger SET answer = NULL WHERE answer IS NOT NULL AND (?1 IS NULL OR at_ms < ?1)",
        (before_ms,),
    )


def recover(connection: Connection) -> int:
    """The calls that ran when memd ended: nobody knows what became of them. How many there were."""
    connection.execute(
        "UPDATE ledger SET result = ? WHERE result = ?", (Result.UNKNOWN.value, Result.RUNNING.value)
    )
    return connection.changes()


def spent(connection: Connection, now_ms: int) -> Spent:
    """What the calls of the present day took."""
    row = connection.execute(
        """SELECT coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(price), 0.0) FROM ledger
           WHERE at_ms >= ? AND at_ms < ?""",
        (budget.begin_of(now_ms), budget.begin_of(now_ms) + budget.DAY_MS),
    ).fetchone()
    assert row is not None
    return Spent(driver.number(row[0]), float(str(row[1])))


def listing(connection: Connection, *, since_ms: int, limit: int) -> list[Call]:
    """The calls since then, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM ledger WHERE at_ms >= ? ORDER BY id DESC LIMIT ?", (since_ms, limit)
    )
    return [_call(row) for row in rows]


def _call(row: Row) -> Call:
    number, at_ms, job, purpose, model, *tokens, price, result = row
    return Call(
        driver.number(number),
        driver.number(at_ms),
        None if job is None else driver.number(job),
        str(purpose),
        str(model),
        Tokens(*map(driver.number, tokens)),
        None if price is None else float(str(price)),
        str(result),
    )
