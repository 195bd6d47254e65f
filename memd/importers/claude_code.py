"""Claude Code transcripts: the lines of one file in, its turns out.

A ``Transcript`` is the state of one file while it is read. It keeps the rules that need more than one record: a uuid
met again is a duplicate, a turn belongs to the session that made the next reply, a rewind leaves turns behind, a turn
without a time sorts with the one before it. Read in one go or in pieces, with restarts between, a file gives the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgpack

from memd.ids import derive
from memd.importers import records, timestamps
from memd.importers.branches import Branches, Kind
from memd.importers.lines import BOM, Record, parse
from memd.importers.reasons import Skip
from memd.importers.records import Reading, text_of
from memd.importers.titles import Titles
from memd.turns.turn import Claim, Turn

_STATE = 1  # the layout of a head; another one is not read
_MOST_UNKNOWN, _LONGEST_UNKNOWN = 100, 100
_SIDECHAIN = "sidechain"


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was gathered since the last take.

    ``claims`` give turns of earlier takes to the session that became known since. ``hidden`` are ids of turns, of this
    take or earlier ones, that a rewind left behind; ``shown`` would be those that came back, which no rule allows for
    now. ``nodes`` is to be kept as one more chunk and ``head`` in place of the last one, for ``Transcript.load``.
    """

    turns: list[Turn]
    claims: list[tuple[str, str, Claim]]
    hidden: list[str]
    nodes: bytes
    head: bytes
    shown: Sequence[str] = ()


class Transcript:
    """One transcript file, as far as it is read. ``name`` is the file's name without its suffix.

    A subagent's own file has an ``agent_id``, and its turns go to ``session_id`` where the folder tells it. With
    ``subagents`` the sidechain records inside an ordinary file are turns too; without, they are skipped.
    """

    def __init__(
        self,
        name: str,
        *,
        agent_id: str | None = None,
        session_id: str | None = None,
        subagents: bool = False,
    ) -> None:
        self._name = name
        self._agent = agent_id
        self._parent = session_id
        self._sidechains = subagents or agent_id is not None
        self._tree = Branches()
        self._titles = Titles()
        self._skipped: Counter[Skip] = Counter()
        self._unknown: Counter[str] = Counter()
        self._cwd: str | None = None
        self._relocated: str | None = None
        self._recorded: str | None = None  # the first sessionId
        self._last_ms: int | None = None
        self._open: list[str] = []  # turns whose session the next reply may tell
        self._ordinals: dict[str, int] = {}
        self._turns: dict[str, Turn] = {}
        self._claims: list[tuple[str, str, Claim]] = []
        self.duplicates = 0
        self.bad_lines = 0
        self.last_bad_offset: int | None = None
        self.branch: str | None = None
        self.continues: str | None = None

    # what the file tells ---------------------------------------------------------------------------

    @property
    def session(self) -> str:
        """The session the file is of: its name, or the parent's for a subagent's file."""
        if self._agent is None:
            return self._name
        return self._parent or self._recorded or self._name

    @property
    def skipped(self) -> Counter[str]:
        """What gave no turn, by reason; turns on other branches now count under ``other_branch``."""
        counts = Counter({str(skip): count for skip, count in self._skipped.items()})
        if self._tree.hidden_count:
            counts[str(Skip.OTHER_BRANCH)] = self._tree.hidden_count
        return counts

    @property
    def unknown(self) -> Counter[str]:
        """Records of types that memd does not know, by type: the alarm for changes of the format."""
        return Counter(self._unknown)

    @property
    def title(self) -> str | None:
        """The last title in the file."""
        return self._titles.last(self._tree)

    @property
    def cwd(self) -> str | None:
        """The first working directory in the file."""
        return self._cwd

    @property
    def project_cwd(self) -> str | None:
        """The directory that says which project the session is of: the last one it moved to, else the first."""
        return self._relocated or self._cwd

    # reading ---------------------------------------------------------------------------------------

    def feed(self, offset: int, line: bytes) -> None:
        """Take in a complete line, without its newline, that starts at ``offset`` in the file."""
        if offset == 0:
            line = line.removeprefix(BOM)
        bad = False
        for index, found in enumerate(parse(line)):
            if isinstance(found, Skip):
                self._skipped[found] += 1
                bad = True
            else:
                self._record(found, offset + index)
        if bad:
            self._note_bad(offset)

    def too_large(self, offset: int) -> None:
        """Note a line that was passed over for its size."""
        self._skipped[Skip.TOO_LARGE] += 1
        self._note_bad(offset)

    def take(self) -> Harvest:
        """What was gathered since the last take."""
        turns, self._turns = list(self._turns.values()), {}
        claims, self._claims = self._claims, []
        hidden, nodes = self._tree.take()
        return Harvest(turns, claims, hidden, nodes, self._head())

    def fork(self) -> Self:
        """An independent copy, to read on without this one noticing."""
        twin = self._bare(self._name, self._agent, self._parent, self._sidechains)
        twin.__dict__.update(
            {name: value.copy() if hasattr(value, "copy") else value for name, value in vars(self).items()}
        )
        return twin

    @classmethod
    def load(
        cls,
        name: str,
        head: bytes,
        chunks: Iterable[bytes],
        *,
        agent_id: str | None = None,
        session_id: str | None = None,
        subagents: bool = False,
    ) -> Self:
        """A transcript that reads on where its last take ended.

        ValueError where the state is of another version of memd: the file must be read anew then.
        """
        transcript = cls(name, agent_id=agent_id, session_id=session_id, subagents=subagents)
        transcript._tree = Branches.load(chunks)
        transcript._restore(head)
        return transcript

    def _note_bad(self, offset: int) -> None:
        self.bad_lines += 1
        self.last_bad_offset = offset
