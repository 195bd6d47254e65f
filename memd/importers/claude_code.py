"""Claude Code transcripts: the lines of one file in, its turns out.

A ``Transcript`` is the state of one file while it is read. It keeps the rules that need more than one record: a uuid
met again is a duplicate, a turn belongs to the session that made the next reply, a rewind leaves turns behind, a turn
without a time sorts with the one before it. Read in one go or in pieces, with restarts between, a file gives the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from memd.ids import derive
from memd.importers import timestamps, tools
from memd.importers.branches import ANCHOR, NOTICE, Branches
from memd.importers.harvest import Harvest
from memd.importers.head import Head
from memd.importers.lines import BOM, Record, parse
from memd.importers.reasons import Skip
from memd.importers.records import STATE, UNKNOWN, Reading, is_own_run, read, text_of
from memd.turns.turn import Claim, Turn

_INLINE_AGENT = "sidechain"
_MOST_UNDECIDED = 200
_NO_REQUEST = ((Skip.SYSTEM,), (Skip.META,))


class Transcript:
    """One transcript file, as far as it is read. ``name`` is the file's name without its suffix.

    A subagent's own file has an ``agent_id``, and its turns go to ``session_id`` where the folder tells it. With
    ``subagents`` the sidechain records inside an ordinary file are turns too; without, they are skipped. With
    ``tool_output`` what passed between Claude and its tools is, too.
    """

    def __init__(
        self,
        name: str,
        *,
        agent_id: str | None = None,
        session_id: str | None = None,
        subagents: bool = False,
        tool_output: bool = False,
    ) -> None:
        self._name = name
        self._tool_output = tool_output
        self._agent = agent_id
        self._parent = session_id
        self._sidechains = subagents or agent_id is not None
        self._head = Head()
        self._tree = Branches()
        self._turns: dict[str, Turn] = {}
        self._claims: list[tuple[str, str, Claim]] = []
        self._ordinals: dict[str, int] = {}

    # reading ---------------------------------------------------------------------------------------

    def feed(self, offset: int, line: bytes) -> None:
        """Take in a complete line, without its newline, that starts at ``offset`` in the file."""
        if offset == 0:
            line = line.removeprefix(BOM)
        bad = False
        for index, found in enumerate(parse(line)):
            if isinstance(found, Skip):
                self._head.skipped[found] += 1
                bad = True
            else:
                self._record(found, offset + index)
        if bad:
            self._note_bad(offset)

    def too_large(self, offset: int) -> None:
        """Note a line that was passed over for its size."""
        self._head.skipped[Skip.TOO_LARGE] += 1
        self._note_bad(offset)

    def take(self) -> Harvest:
        """What was gathered since the last take."""
        turns, self._turns = list(self._turns.values()), {}
        claims, self._claims = self._claims, []
        hidden, nodes = self._tree.take()
        return Harvest(turns, claims, hidden, nodes, self._head.dump())

    def fork(self) -> Transcript:
        """An independent copy, to read on without this one noticing."""
        twin = Transcript(
            self._name, agent_id=self._agent, session_id=self._parent, subagents=self._sidechains
        )
        twin._head, twin._tree = self._head.copy(), self._tree.copy()
        twin._turns, twin._claims = self._turns.copy(), self._claims.copy()
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

        ValueError where another version of memd kept the state: the file must be read anew then.
        """
        transcript = cls(name, agent_id=agent_id, session_id=session_id, subagents=subagents)
        transcript._head = Head.load(head)
        transcript._tree = Branches.load(chunks)
        return transcript

    # what the file tells ---------------------------------------------------------------------------

    @property
    def session(self) -> str:
        """The session the file is of: its name, or the parent's for a subagent's file."""
        if self._agent is None:
            return self._name
        return self._parent or self._head.session or self._name

    @property
    def skipped(self) -> Counter[str]:
        """What gave no turn, by reason; turns on other branches now count under ``other_branch``."""
        counts = Counter({str(reason): count for reason, count in self._head.skipped.items()})
        if self._tree.hidden_count:
            counts[str(Skip.OTHER_BRANCH)] = self._tree.hidden_count
        return counts

    @property
    def unknown(self) -> Counter[str]:
        """Records of types that memd does not know, by type: the alarm for changes of the format."""
        return self._head.unknown.copy()

    @property
    def duplicates(self) -> int:
        """Records whose uuid had appeared in the file before."""
        return self._head.duplicates

    @property
    def bad_lines(self) -> int:
        """Lines, whole or in part, that could not be used as records at all."""
        return self._head.bad_lines

    @property
    def last_bad_offset(self) -> int | None:
        """Where the last such line starts."""
        return self._head.last_bad_offset

    @property
    def title(self) -> str | None:
        """The last title in the file."""
        return self._head.titles.last(self._tree)

    @property
    def cwd(self) -> str | None:
        """The first working directory in the file."""
        return self._head.cwd

    @property
    def project_cwd(self) -> str | None:
        """The directory that says which project the session is of: the last one it moved to, else the first."""
        return self._head.relocated or self._head.cwd

    @property
    def branch(self) -> str | None:
        """The git branch of the last turn that names one."""
        return self._head.branch

    @property
    def continues(self) -> str | None:
        """The session that this one was forked or continued from, where its turns tell."""
        return self._head.continues

    # one record ------------------------------------------------------------------------------------

    def _record(self, record: Record, seq: int) -> None:
        head, tree = self._head, self._tree
        uuid = text_of(record, "uuid")
        identity = _forked(record, "messageUuid") or uuid
        if uuid in tree or identity in tree:
            head.duplicates += 1
            return
        reading = self._own(record, read(record))
        sidechain = record.get("isSidechain") is True
        if sidechain:
            reading = _aside(reading, taken=self._sidechains)
        else:
            self._note(record, reading)
        wanted = self._tool_output and (self._sidechains or not sidechain)
        spoken = list(tools.said(record)) if wanted else []
        for reason in _unspoken(reading.skips, len(spoken)) if spoken else reading.skips:
            head.skipped[reason] += 1
        if head.cwd is None and (self._agent or not sidechain):
            head.cwd = text_of(record, "cwd")
        turn_id = None
        if reading.text is not None:
            turn_id = identity or self._derived(record, reading, reading.text)
            self._turns[turn_id] = self._turn(record, reading, reading.text, turn_id, seq)
        if uuid is not None or turn_id is not None:
            tree.add(uuid, text_of(record, "parentUuid"), reading.kind, reply=reading.reply, turn=turn_id)
        for number, words in enumerate(spoken, 1):
            self._tool(record, reading, words, number, seq)

    def _own(self, record: Record, reading: Reading) -> Reading:
        """The reading, without words where memd itself asks a model: it would remember what it said itself."""
        head = self._head
        head.own_run = head.own_run or (head.session is None and is_own_run(record))
        return reading._replace(text=None, skips=(Skip.META,)) if head.own_run and reading.text else reading

    def _note(self, record: Record, reading: Reading) -> None:
        """What a record tells of the file, whether it gives a turn or not."""
        if reading.role == "assistant":
            self._decide(record, reading)
        elif reading is UNKNOWN:
            self._head.count_unknown(str(record["type"]))
        elif reading is STATE:
            self._head.titles.note(record)
            if record["type"] == "relocated":
                self._head.relocated = text_of(record, "relocatedCwd") or self._head.relocated

    def _tool(self, record: Record, reading: Reading, words: str, number: int, seq: int) -> None:
        """Take in what a tool was asked or answered; it hangs below its record, and is left behind with it."""
        uuid = text_of(record, "uuid")
        spoken = reading._replace(role="tool")
        turn_id = derive(uuid, "tool", str(number)) if uuid else self._derived(record, spoken, words)
        self._turns[turn_id] = self._turn(record, spoken, words, turn_id, seq + number)
        self._tree.add(None, uuid, NOTICE, turn=turn_id)

    def _turn(self, record: Record, reading: Reading, text: str, turn_id: str, seq: int) -> Turn:
        head = self._head
        session, claim = self._session_of(record)
        if head.session is None:
            head.session = session
        self._note_origin(session)
        if claim < Claim.REQUEST and self._parent is None and record.get("isSidechain") is not True:
            head.undecided.append(turn_id)
            del head.undecided[:-_MOST_UNDECIDED]
        timestamp = record.get("timestamp")
        at_ms = timestamps.milliseconds(timestamp)
        if at_ms is not None:
            head.last_ms = at_ms
        branch = text_of(record, "gitBranch")
        if branch == "HEAD":  # none is checked out
            branch = None
        head.branch = branch or head.branch
        return Turn(
            id=turn_id,
            role=reading.role,
            text=text,
            session_id=session,
            claim=claim,
            seq=seq,
            uuid=text_of(record, "uuid"),
            timestamp=timestamps.raw(timestamp),
            at_ms=at_ms,
            sort_ms=head.last_ms,
            message_id=reading.reply,
            agent_id=self._agent_of(record),
            cwd=text_of(record, "cwd"),
            branch=branch,
        )

    def _agent_of(self, record: Record) -> str | None:
        if self._agent is None and record.get("isSidechain") is True:
            return text_of(record, "agentId") or _INLINE_AGENT
        return self._agent

    def _derived(self, record: Record, reading: Reading, text: str) -> str:
        """An id for a turn without one: of all it says, and its number among equal ones in the file."""
        session, _ = self._session_of(record)
        time = timestamps.raw(record.get("timestamp")) or ""
        base = derive(session, reading.role, time, text, self._agent_of(record) or "")
        ordinal = self._ordinals.get(base, 0)
        while (turn_id := derive(base, str(ordinal))) in self._tree:
            ordinal += 1
        self._ordinals[base] = ordinal + 1
        return turn_id

    def _session_of(self, record: Record) -> tuple[str, Claim]:
        """The session of a turn as far as its own record tells."""
        recorded = text_of(record, "sessionId")
        if origin := _forked(record, "sessionId"):
            return origin, Claim.FORK
        if self._parent:
            return self._parent, Claim.RECORD if recorded == self._parent else Claim.FILE
        if request := text_of(record, "requestSessionId"):
            return request, Claim.REQUEST
        return (recorded, Claim.RECORD) if recorded else (self._name, Claim.FILE)

    def _note_origin(self, session: str) -> None:
        if session != self._name and self._agent is None and session.lower() != self._name.lower():
            self._head.continues = session

    def _decide(self, record: Record, reading: Reading) -> None:
        """The session that requested a reply is the one of the turns before it that do not tell theirs."""
        undecided = self._head.undecided
        session = text_of(record, "requestSessionId")
        if session is None and reading.text is None and reading.skips[:1] in _NO_REQUEST:
            return  # an error notice or filler: no request of anybody made it, so it decides nothing
        if session is not None and undecided:
            self._note_origin(session)
            for turn_id in undecided:
                known = self._turns.get(turn_id)
                if known is None:
                    self._claims.append((turn_id, session, Claim.REQUEST))
                else:
                    self._turns[turn_id] = known._replace(session_id=session, claim=Claim.REQUEST)
        undecided.clear()

    def _note_bad(self, offset: int) -> None:
        self._head.bad_lines += 1
        self._head.last_bad_offset = offset


def _forked(record: Record, key: str) -> str | None:
    """What a copied record says of its original."""
    origin = record.get("forkedFrom")
    return text_of(origin, key) if isinstance(origin, dict) else None


def _aside(reading: Reading, *, taken: bool) -> Reading:
    """A sidechain's record: no prompt of it replaces another, no boundary of it parts those of the session."""
    if reading.kind > ANCHOR:
        reading = reading._replace(kind=ANCHOR)
    return reading if taken else reading._replace(text=None, skips=(Skip.SUBAGENT,))


def _unspoken(skips: Sequence[Skip], spoken: int) -> list[Skip]:
    """The reasons without those of so many blocks of tools, which gave turns."""
    silent = [skip for skip in skips if skip is Skip.TOOL_OUTPUT][spoken:]
    return [skip for skip in skips if skip is not Skip.TOOL_OUTPUT] + silent
