"""Foreign files that only grow, read on from where they were read to.

A format's ``Growing`` takes in line after line and knows what must be known of those behind: a few facts, which are
kept in place of the last ones, and steps, which are added to those kept before. What was taken back is told by the
stretch of lines that it stood in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Protocol

import msgpack

from memd.importers import codex, gemini, lines, project_root
from memd.importers.gathering import Gathering, Session, Wanted, counted, short
from memd.importers.harvest import Harvest, Left
from memd.importers.reader import Raw
from memd.importers.reasons import Skip

LAYOUT = "growing 1"

Facts = Mapping[str, object]


class Growing(Protocol):
    """One file of a format. ``rewords``: what was said may be written again, with other words."""

    rewords: bool

    @property
    def session(self) -> str | None: ...

    @property
    def cwd(self) -> str | None: ...

    def line(self, record: Mapping[str, object], at: int) -> tuple[int, int] | None: ...

    def facts(self) -> Facts: ...

    def steps(self) -> Sequence[object]: ...


FORMATS: Mapping[str, Callable[[Gathering, Facts | None, Sequence[object]], Growing]] = {
    "codex": codex.Growing,
    "gemini": gemini.Growing,
}


class GrowingFile:
    """One file as far as it is read, with the face of a ``Transcript``.

    ``head`` and ``chunks`` are what was kept of the lines behind. ValueError where another version of memd, or another
    format, kept them: the file must be read anew then.
    """

    def __init__(
        self,
        format_: str,
        wanted: Wanted,
        place: bytes,
        head: bytes | None = None,
        chunks: Iterable[bytes] = (),
    ) -> None:
        self.unknown = Counter[str]()  # types of records are not told apart here,
        self.duplicates = 0  # nor are records counted that came twice
        self._limits, self._format = wanted.limits, format_
        self._into = Gathering(format_, wanted)
        self._left: list[Left] = []
        self._told: Session | None = None  # the piece of the session that was taken last
        facts, steps = None, list[object]()
        if head is not None:
            facts, steps = self._kept(head), [step for chunk in chunks for step in msgpack.unpackb(chunk)]
        self._cwd = project_root.above(place)
        self._growing = FORMATS[format_](self._into, facts, steps)

    def _kept(self, head: bytes) -> Facts:
        layout = msgpack.unpackb(head) if head else None
        if not isinstance(layout, list) or layout[:2] != [LAYOUT, self._format]:
            raise ValueError("what was kept of the file is of another layout")
        skipped, malformed, times, facts = layout[2:]
        self._into.resume({Skip(reason): count for reason, count in skipped.items()}, malformed, times)
        kept: Facts = facts
        return kept

    # reading ---------------------------------------------------------------------------------------

    def feed(self, offset: int, line: bytes) -> None:
        """Take in a complete line, without its newline, that starts at ``offset`` in the file."""
        line = (line.removeprefix(lines.BOM) if offset == 0 else line).strip(b"\0 \t\r")
        if not line:
            return
        deep = lines.is_too_deep(line, self._limits.max_depth)
        record = self._into.value(Raw(offset, Skip.TOO_DEEP if deep else lines.value(line), offset))
        if isinstance(record, dict):
            if gone := self._growing.line(record, offset):
                self._left.append(Left(*gone, self._into.waiting))
        elif record is not None:
            self._into.bad()

    def too_large(self, offset: int) -> None:
        """Note a line that was passed over for its size."""
        self._into.value(Raw(offset, Skip.TOO_LARGE, offset))

    def take(self) -> Harvest:
        """What was gathered since the last take."""
        self._told = next(iter(self._into.take()), None)
        turns = self._told.turns if self._told else []
        left, self._left = self._left, []
        steps = list(self._growing.steps())
        nodes: bytes = msgpack.packb(steps) if steps else b""
        return Harvest(turns, [], [], nodes, self._head(), left=left, reworded=self._growing.rewords)

    def _head(self) -> bytes:
        into, facts = self._into, self._growing.facts()
        kept = (LAYOUT, self._format, dict(self.skipped), into.malformed, into.times, facts)
        head: bytes = msgpack.packb(kept)
        return head

    def fork(self) -> GrowingFile:
        """An independent copy, to read on without this one noticing."""
        return deepcopy(self)

    # what the file tells ---------------------------------------------------------------------------

    @property
    def session(self) -> str:
        """The session that the file is of; nothing as long as it does not tell."""
        return short(self._growing.session or "")

    @property
    def project_cwd(self) -> str | None:
        """The working directory of the session."""
        return self._growing.cwd or self._cwd

    @property
    def title(self) -> str | None:
        """The title of the session, where it was told between the last two takes."""
        return self._told.title if self._told else None

    @property
    def branch(self) -> str | None:
        """The git branch, where a turn came between them."""
        return self._told.branch if self._told else None

    @property
    def continues(self) -> str | None:
        """The session that this one was forked from, likewise."""
        return self._told.continues if self._told else None

    @property
    def skipped(self) -> Counter[str]:
        """What gave no turn, by reason."""
        return Counter(counted(self._into))

    @property
    def bad_lines(self) -> int:
        """Lines that were none of the format."""
        return self._into.malformed
