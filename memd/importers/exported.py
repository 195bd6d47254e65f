"""Lines of memd's own export: turns with the ids they have, so that bringing them back, or to another machine, is no
second history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memd.importers import timestamps
from memd.importers.gathering import Gathering
from memd.importers.reader import DataFile
from memd.importers.reasons import Skip
from memd.importers.records import text_of
from memd.importers.roles import role_of
from memd.turns.turn import Claim, Turn

Json = Mapping[str, object]

_FIELDS = frozenset({"id", "uuid", "session_id", "role", "text", "created_at", "format", "other_branch"})
_LONGEST_ID = 200


def fits(record: Json) -> bool:
    """True for a turn of an export."""
    return record.keys() >= _FIELDS


def read(file: DataFile, into: Gathering) -> Iterator[int]:
    """Gather the turns; how far the file is read, after each."""
    for raw in into.records(file):
        record = into.value(raw)
        if isinstance(record, dict) and record.get("other_branch") is True:
            into.skip(Skip.OTHER_BRANCH)
        elif isinstance(record, dict) and (turn := _turn(record, raw.at)):
            session = into.session(turn.session_id)
            session.cwd, session.branch = text_of(record, "project"), turn.branch
            into.keep(session, turn._replace(session_id=session.key))
        elif record is not None:
            into.bad()
        yield raw.end


def _turn(record: Json, at: int) -> Turn | None:
    """The turn of a line; None where it lacks what every turn has."""
    id, session, role = text_of(record, "id"), text_of(record, "session_id"), role_of(record.get("role"))
    text = record.get("text")
    if not (id and session and role and isinstance(text, str) and len(id) <= _LONGEST_ID):
        return None
    at_ms = timestamps.milliseconds(record.get("created_at"))
    return Turn(
        id=id,
        role=role,
        text=text,
        session_id=session,
        claim=Claim.RECORD,
        seq=at,
        uuid=text_of(record, "uuid"),
        timestamp=timestamps.raw(record.get("created_at")),
        at_ms=at_ms,
        sort_ms=at_ms,
        message_id=text_of(record, "message_id"),
        agent_id=text_of(record, "agent_id"),
        branch=text_of(record, "branch"),
    )
