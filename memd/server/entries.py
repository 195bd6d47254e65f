"""Entries as ``show`` and ``list`` have them: what one rests on, what it superseded and what superseded it."""

from __future__ import annotations

from collections.abc import Sequence

from memd.clock import iso
from memd.db import journal
from memd.db.driver import Connection
from memd.errors import NotFound
from memd.memory import table
from memd.memory.entry import MemoryEntry, Source
from memd.memory.which import Which
from memd.server.records import Record, of_entry
from memd.server.scope import ALL, Scope
from memd.sources import observation_table
from memd.text.snippet import snippet
from memd.turns import read
from memd.turns import table as turns
from memd.turns.redact import redact_all


def meant(asked: str) -> int | None:
    """The number of the entry that is asked for, where it can be one: ``42`` or ``#42``."""
    digits = asked.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def show(connection: Connection, asked: str, where: Scope = ALL) -> Record | None:
    """The entry of that number with all that hangs on it and lies within the scope; Forbidden where it lies outside.

    None where there is none, so that a turn may be meant.
    """
    number = meant(asked)
    entry = None if number is None else table.get(connection, number)
    if entry is None:
        if number is not None and not read.begins_a_turn(connection, asked):
            raise NotFound(f"there is no entry #{number}, and no turn whose id begins with {asked}")
        return None
    if not _lies_in(where, entry):
        where.check(f"entry #{number}", entry.scope.project)
    chain = table.chain(connection, entry.id)
    return {
        "entry": of_entry(entry),
        "sources": [_followed(connection, source, where) for source in table.sources(connection, entry.id)],
        "supersedes": [
            of_entry(one) for one in table.predecessors(connection, entry.id) if _lies_in(where, one)
        ],
        "successors": [of_entry(one) for one in chain[1:] if _lies_in(where, one)],
        "turns": [],
        "turn_begins_so": read.begins_a_turn(connection, asked),
    }


def listing(connection: Connection, which: Which, limit: int, offset: int) -> Sequence[Record]:
    """Entries, those seen last first."""
    return [of_entry(entry) for entry in table.listing(connection, which, limit, offset)]


def redact_again(connection: Connection) -> None:
    """Apply today's rules of redaction to what entries say, and drop from the undo journal what held secrets."""
    said = table.contents(connection)
    for place, clean in redact_all([text for _, text in said]).items():
        table.reword(connection, said[place][0], clean.text)
        turns.count_redactions(connection, clean.counts)
    held = {
        row
        for row, states in journal.states(connection, "entry").items()
        if any(redact_all([text]) for state in states if (text := str(state["content"] or "")))
    }
    journal.strike(connection, held)


def _lies_in(where: Scope, entry: MemoryEntry) -> bool:
    """What holds everywhere lies in every scope."""
    return entry.scope.project is None or where.holds(entry.scope.project)


def _followed(connection: Connection, source: Source, where: Scope) -> Record:
    """What a source says, as far as it is there still, and within the scope."""
    record: Record = {"kind": source.kind, "id": source.id}
    if not _is_open(connection, source, where):
        return {**record, "outside": True}
    try:
        match source.kind:
            case "turn":
                (turn,) = read.show(connection, source.id, 0)
                kept = {name: turn[name] for name in ("role", "created_at", "session_id")}
                return {**record, **kept, "text": snippet(str(turn["text"]), ())}
            case "session":
                found = read.session(connection, source.id, limit=1, offset=0)
                return {**record, **{name: found[name] for name in ("title", "started_at", "turns")}}
            case "observation":
                one = observation_table.taken_from(connection, int(source.id))
                if one is not None:
                    return {
                        **record,
                        "created_at": iso(one.at_ms),
                        "day": one.day,
                        "trigger": one.trigger,
                        "project": one.project,
                        "log": one.log,
                    }
            case "entry":
                rests_on = table.get(connection, int(source.id))
                if rests_on is not None:
                    return {
                        **record,
                        "created_at": iso(rests_on.created_ms),
                        "text": snippet(rests_on.content, ()),
                    }
    except (NotFound, ValueError):
        pass
    return {**record, "gone": True}


def _is_open(connection: Connection, source: Source, where: Scope) -> bool:
    if where.projects is None or source.kind == "observation":
        return True
    find = read.project_of_turn if source.kind == "turn" else read.project_of_session
    return where.holds(find(connection, source.id))
