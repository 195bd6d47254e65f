"""The edit of a curated file that is under way: written down with the decision it is for, before the file is written.

So a decision and the file never part for good: what a kill cut off is done at the next start, and where somebody wrote
in the file meanwhile, the edit is worked out anew on what stands there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from memd.db import driver
from memd.db.driver import Connection
from memd.reflection import memory_md, proposal_table
from memd.reflection.memory_md import Conflict
from memd.reflection.places import EVERYWHERE
from memd.reflection.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Edit:
    """What a file becomes, the hash of what it is before, and which proposals are in it then."""

    file: str
    before: bytes
    after: str
    proposals: Mapping[int, bool]


def of(file: str, text: str, after: str, proposals: Mapping[int, bool]) -> Edit:
    """The edit of a file (``places``) from one text to another."""
    return Edit(file, fingerprint(text), after, proposals)


def fingerprint(text: str) -> bytes:
    """By what a text is known again."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def put(connection: Connection, edit: Edit) -> None:
    """Write down an edit, in the place of one of its file that is there."""
    connection.execute(
        "INSERT OR REPLACE INTO memory_edit (file, before, after, proposals) VALUES (?, ?, ?, ?)",
        (edit.file, edit.before, edit.after, json.dumps(edit.proposals)),
    )


def pending(connection: Connection, file: str = EVERYWHERE) -> Edit | None:
    """The edit of a file that is under way."""
    row = connection.execute(
        "SELECT before, after, proposals FROM memory_edit WHERE file = ?", (file,)
    ).fetchone()
    if row is None:
        return None
    proposals = {int(number): bool(there) for number, there in json.loads(str(row[2])).items()}
    return Edit(file, driver.blob(row[0]), str(row[1]), proposals)


def files(connection: Connection) -> list[str]:
    """The files of which an edit is under way, or which are not level with what was decided."""
    edited = connection.execute("SELECT file FROM memory_edit").fetchall()
    return sorted({*(str(file) for (file,) in edited), *proposal_table.unsettled_files(connection)})


def end(connection: Connection, edit: Edit, *, written: bool) -> None:
    """The edit is over; where it was ``written``, the file has what it was for."""
    connection.execute("DELETE FROM memory_edit WHERE file = ?", (edit.file,))
    if written:
        proposal_table.settle(connection, edit.proposals)


def owed(connection: Connection, file: str) -> list[int]:
    """The proposals that a file has and should not have, or should have and has not."""
    return [one.id for one in proposal_table.unsettled(connection, file)]


def plan(connection: Connection, file: str, text: str) -> tuple[Edit | None, list[int]]:
    """Write down the edit that brings a file level with what was decided; and for what its lines do not allow it.

    These are let be: what hands wrote there stays.
    """
    waiting = proposal_table.unsettled(connection, file)
    after, settled, refused = text, dict[int, bool](), list[int]()
    for one in [one for one in reversed(waiting) if one.in_file] + [
        one for one in waiting if not one.in_file
    ]:
        try:
            after = _turned(after, one)
            settled[one.id] = not one.in_file
        except Conflict:
            proposal_table.settle(connection, {one.id: not one.in_file})
            refused.append(one.id)
    if not settled:
        return None, refused
    edit = of(file, text, after, settled)
    put(connection, edit)
    return edit, refused


def _turned(text: str, one: Proposal) -> str:
    turn = memory_md.taken_back if one.in_file else memory_md.applied
    return turn(text, one.patch)
