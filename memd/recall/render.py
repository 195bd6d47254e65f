"""The text of a context: one labelled block a turn, sessions apart by a blank line, oldest first.

The first block of a session carries its full stamp, and so does each whose stamp is not the one shown last; the
others show who speaks, and a short date where one is wished for. Where the whole history stands there, every block
is stamped. What is left out within a turn is a line of three dots; behind code or a table that is cut, it counts lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from memd.recall.candidates import Candidate
from memd.recall.context import RecallOptions, StoredTurn

GAP = "\n...\n"
BETWEEN_TURNS = "\n"
BETWEEN_SESSIONS = "\n\n"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Block(NamedTuple):
    """A turn as it stands in the text: its label, and what is shown of it."""

    turn: StoredTurn
    label: str
    shown: str

    @property
    def text(self) -> str:
        """All of it."""
        return self.label + self.shown


@dataclass(frozen=True, slots=True)
class Labels:
    """How turns are labelled."""

    options: RecallOptions

    def stamp(self, turn: StoredTurn) -> str:
        """The full stamp of a turn; empty where its source had no time."""
        return self._format(turn, self.options.stamp_format)

    def label(self, turn: StoredTurn, *, stamped: bool) -> str:
        """What stands before a turn's words."""
        form = self.options.stamp_format if stamped else self.options.date_format
        shown = self._format(turn, form) if form else ""
        return f"[{shown}] {turn.role}: " if shown else f"{turn.role}: "

    def _format(self, turn: StoredTurn, form: str) -> str:
        if turn.at_ms is None:
            return ""
        try:
            return (_EPOCH + timedelta(milliseconds=turn.at_ms)).astimezone(self.options.tz).strftime(form)
        except (OverflowError, ValueError):  # a time that no calendar has
            return ""


def body(turn: StoredTurn, kept: Sequence[Candidate]) -> str:
    """The kept runs of a turn in their order; runs that follow each other are one."""
    spans: list[tuple[int, int]] = []
    ordered = sorted(kept, key=lambda one: one.start)
    for one in ordered:
        if spans and not turn.text[spans[-1][1] : one.start].strip():
            spans[-1] = (spans[-1][0], max(spans[-1][1], one.end))
        else:
            spans.append((one.start, one.end))
    cut = {one.end: _left_out(one.left_out) for one in ordered if one.left_out}
    return GAP.join(turn.text[start:end] + cut.get(end, "") for start, end in spans)


def _left_out(lines: int) -> str:
    return f"\n... ({lines} more {'line' if lines == 1 else 'lines'})"


def joined(sessions: Sequence[Sequence[Block]]) -> str:
    """The text of the blocks of sessions."""
    return BETWEEN_SESSIONS.join(BETWEEN_TURNS.join(block.text for block in session) for session in sessions)
