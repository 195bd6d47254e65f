"""Turns that were heard from a shared store: which of them are here, and the changes of those that are. SQL alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from memd.db import driver
from memd.db.driver import Connection, Row
from memd.turns import table
from memd.turns.sharing import OWN
from memd.turns.turn import Turn

_STANDS = """s.key, t.seq, t.role, t.claim, t.hidden, t.at_ms, t.sort_ms, t.timestamp, t.uuid, t.message_id,
  t.agent_id, t.branch, t.user_id"""


class HeardTurn(NamedTuple):
    """A turn as somebody told it. ``hidden``: of a branch that was given up."""

    turn: Turn
    user: str
    hidden: bool = False


class Here(NamedTuple):
    """A turn that is here: its row, and whether it is this machine's own, whoever tells it too."""

    row: int
    own: bool
    stands: Row


def here(connection: Connection, ids: Sequence[str]) -> dict[str, Here]:
    """Those of the turns that are here."""
    rows = connection.execute(
        f"""SELECT t.id, t.rowid, {OWN}, {_STANDS} FROM json_each(?) asked CROSS JOIN turn t ON t.id = asked.value
              CROSS JOIN session s ON s.id = t.session_id""",
        (orjson.dumps(ids).decode(),),
    )
    return {str(id): Here(driver.number(row), bool(owned), tuple(stands)) for id, row, owned, *stands in rows}


def change(connection: Connection, known: Here, heard: HeardTurn, session: int) -> None:
    """Have a turn stand as it was told, in that session, where it does not yet; its words are ``rewording``'s."""
    told = _told(heard)
    if told == known.stands:
        return
    before = connection.execute("SELECT session_id FROM turn WHERE rowid = ?", (known.row,)).get
    connection.execute(
        """UPDATE turn SET session_id = ?, seq = ?, role = ?, claim = ?, hidden = ?, at_ms = ?, sort_ms = ?,
             timestamp = ?, uuid = ?, message_id = ?, agent_id = ?, branch = ?, user_id = ? WHERE rowid = ?""",
        (session, *told[1:], known.row),
    )
    for moved in {driver.number(before), session}:
        table.recount(connection, moved)


def _told(heard: HeardTurn) -> Row:
    one = heard.turn
    return (
        one.session_id,
        one.seq,
        one.role,
        int(one.claim),
        int(heard.hidden),
        one.at_ms,
        one.sort_ms,
        one.timestamp,
        one.uuid,
        one.message_id,
        one.agent_id,
        one.branch,
        heard.user,
    )


def is_own(connection: Connection, session: int) -> bool:
    """Whether turns of this machine are in a session."""
    found = connection.execute(
        f"SELECT 1 FROM turn t WHERE t.session_id = ? AND {OWN} LIMIT 1", (session,)
    ).get
    return found is not None


def unembedded(connection: Connection, space: int, turns: Sequence[str]) -> dict[str, int]:
    """The texts of those of the turns that have no vectors in a space."""
    rows = connection.execute(
        """SELECT t.id, t.content_id FROM json_each(?) asked CROSS JOIN turn t ON t.id = asked.value
           WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.content_id = t.content_id AND v.space_id = ?)""",
        (orjson.dumps(turns).decode(), space),
    )
    return {str(id): driver.number(content) for id, content in rows}
