"""How things stored are told: as facts, each with its source and its date, and never a tool's words as a person's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from memd.memory.entry import MemoryEntry
from memd.text.fence import Line
from memd.turns.read import SessionLine
from memd.turns.recalled import Row

Kind = Literal["turn", "entry"]

ID_LETTERS = 8

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SAID: Mapping[str, str] = {
    "user": "Earlier the user said",
    "assistant": "Earlier the assistant said",
    "tool": "Earlier the output of a tool read",
}
_BY_AGENT = "Earlier the transcript of a subagent read"
_OTHERWISE = "Earlier a note of the client read"


@dataclass(frozen=True, slots=True)
class Item:
    """What is handed over at most once in a session: a turn or an entry, by its id."""

    kind: Kind
    id: str


@dataclass(frozen=True, slots=True)
class Told:
    """A line, and which item it tells, if any. Where not all fits, that of a higher ``rank`` does."""

    line: Line
    item: Item | None = None
    rank: float = 0.0


def of_turn(turn: Row, text: str, tz: tzinfo | None) -> Told:
    """What of a turn is told."""
    source = (day(turn.at_ms, tz), name_of(turn.project), f"turn {turn.id[:ID_LETTERS]}")
    return Told(Line(said_by(turn.role, turn.agent), _joined(*source), text), Item("turn", turn.id))


def of_entry(entry: MemoryEntry, tz: tzinfo | None) -> Told:
    """What an entry says, of what type it is, and since when."""
    scope = entry.project_name or ""
    if entry.scope.branch:
        scope = f"{scope} branch {entry.scope.branch}"
    lead = known_as(entry.type)
    source = (day(entry.created_ms, tz), scope, f"entry #{entry.id}")
    return Told(Line(lead, _joined(*source), entry.content), Item("entry", str(entry.id)))


def of_session(session: SessionLine, title: str, tz: tzinfo | None) -> Told:
    """What a session was about, and when."""
    branch = f"branch {session.branch}" if session.branch else ""
    source = (day(session.last_ms, tz), branch, f"session {session.key[:ID_LETTERS]}")
    return Told(Line("Earlier session", _joined(*source), " ".join(title.split())))


def said_by(role: str, agent: object) -> str:
    """Who said a turn, as a fact."""
    return _BY_AGENT if agent else _SAID.get(role, _OTHERWISE)


def known_as(type_: str) -> str:
    """What an entry is, as a fact."""
    return f"Known {type_}" if type_ != "insight" else "Insight"


def day(at_ms: int | None, tz: tzinfo | None) -> str:
    """The date of a time; empty where there is none, or none that a calendar has."""
    if at_ms is None:
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(tz).strftime("%Y-%m-%d")
    except (OverflowError, ValueError):
        return ""


def name_of(project: str | None) -> str:
    """What a project's path ends with."""
    path = project or ""
    return path.rstrip("/").rsplit("/", 1)[-1] or path


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
