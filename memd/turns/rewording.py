"""Turns that say something else by now: some programs write an answer while it comes, and again when it is whole."""

from __future__ import annotations

from collections.abc import Sequence, Set

import orjson

from memd.db import driver, fts
from memd.db.driver import Connection
from memd.ids import content_key
from memd.turns import table
from memd.turns.turn import Turn


def reword(connection: Connection, turns: Sequence[Turn], stored: table.Stored) -> Set[str]:
    """Give those of the turns that are stored the words they have here; the ids of those that had others.

    ``table.index`` must follow in the same transaction.
    """
    rows = connection.execute(
        """SELECT t.id, t.rowid, c.id, c.key FROM json_each(?) AS asked
             CROSS JOIN turn t ON t.id = asked.value CROSS JOIN content c ON c.id = t.content_id""",
        (orjson.dumps([turn.id for turn in turns]).decode(),),
    )
    known = {str(turn): (driver.number(row), driver.number(content), key) for turn, row, content, key in rows}
    other = [turn for turn in turns if turn.id in known and known[turn.id][2] != content_key(turn.text)]
    for turn, content in zip(other, table.contents(connection, [turn.text for turn in other]), strict=True):
        row, former, _ = known[turn.id]
        fts.remove(connection, [row])
        connection.execute("UPDATE turn SET content_id = ? WHERE rowid = ?", (content, row))
        connection.execute(
            "DELETE FROM content WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM turn WHERE content_id = ?1)",
            (former,),
        )
    rows_of = {known[turn.id][0]: turn.text for turn in other}
    stored.texts = [one for one in stored.texts if one[0] not in rows_of] + list(rows_of.items())
    stored.reworded += len(other)
    return {turn.id for turn in other}
