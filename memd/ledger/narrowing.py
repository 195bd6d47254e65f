"""How much of a scope the language model is asked about at once, where its answers could not be used. The SQL of it.

After two such answers it is asked about half as much, and so on down to the one item that is to blame; after three
about that alone it is to be passed over, so that nothing stands in the way of the rest.
"""

from __future__ import annotations

from memd.db import driver
from memd.db.driver import Connection
from memd.errors import ModelError, ModelRefused, ReplyCut, ReplyUnusable

UNUSABLE = (ModelRefused, ReplyCut, ReplyUnusable)  # an answer came, and nothing can be made of it
TRIES = 2
STRIKES = 3


def most(connection: Connection, scope: str, usual: int) -> int:
    """How many items of the scope to ask about at once."""
    suspects, _ = _get(connection, scope)
    return usual if suspects is None else min(usual, max(1, suspects // 2))


def strike(connection: Connection, scope: str, items: int, error: ModelError) -> bool:
    """Note an answer about so many items that could not be used; True where the one item is to be passed over.

    A refusal is an answer about all of them: they are not asked about together a second time.
    """
    suspects, strikes = _get(connection, scope)
    strikes += 1
    if items <= 1 and strikes >= STRIKES:
        _put(connection, scope, None, 0)
        return True
    if items > 1 and (strikes >= TRIES or isinstance(error, ModelRefused)):
        suspects, strikes = items, 0
    _put(connection, scope, suspects, strikes)
    return False


def clear(connection: Connection, scope: str, items: int) -> None:
    """Note an answer about so many items that could be used: the one to blame is behind them."""
    suspects, _ = _get(connection, scope)
    left = (suspects or 0) - items
    _put(connection, scope, left if left > 0 else None, 0)


def _get(connection: Connection, scope: str) -> tuple[int | None, int]:
    row = connection.execute("SELECT suspects, strikes FROM narrowing WHERE scope = ?", (scope,)).fetchone()
    suspects, strikes = row or (None, 0)
    return None if suspects is None else driver.number(suspects), driver.number(strikes)


def _put(connection: Connection, scope: str, suspects: int | None, strikes: int) -> None:
    if suspects is None and not strikes:
        connection.execute("DELETE FROM narrowing WHERE scope = ?", (scope,))
    else:
        connection.execute("INSERT OR REPLACE INTO narrowing VALUES (?, ?, ?)", (scope, suspects, strikes))
