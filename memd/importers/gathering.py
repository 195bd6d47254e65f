"""What the foreign formats have in common: whose turns they are, what gives none, and the identity of a turn.

A format's reader hands in what it finds; pieces of sessions are taken out now and then, so that a file of any length
is never held whole. What memd handed to a model is cut out here, for all formats. An id comes from the source's own
id, else from the words as they came, before redaction, and their number among equal ones of the session: it is the
same under another file name, in a later export, and with other rules of redaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from memd.errors import HistoryImportError
from memd.ids import derive
from memd.importers import reader, timestamps
from memd.importers.limits import ImportLimits
from memd.importers.reader import DataFile, Pulse, Raw
from memd.importers.reasons import Skip
from memd.text import fence
from memd.turns.turn import Claim, Turn

DEFAULT_USER = "default"

_MOST_TURNS, _MOST_CHARACTERS = 500, 4 << 20
_LONGEST_ID, _LONGEST_TIME = 200, 60
_FILE = "it"


class NotOfFormat(HistoryImportError):
    """A record is not of the format, or over a limit, where all must be sound."""


def short(id: str) -> str:
    """The id, or what stands for it where somebody made it too long to be one."""
    return id if len(id) <= _LONGEST_ID else derive(id)


def _own(turn: Turn) -> tuple[Turn, bool]:
    """The turn with the words that are its own, and whether there were others: what memd handed over comes back."""
    words = fence.unfenced(turn.text)
    return (turn, False) if words is turn.text else (turn._replace(text=words.strip()), True)


def counted(into: Gathering) -> dict[str, int]:
    """What gave no turn so far, by reason."""
    return {str(reason): count for reason, count in into.skipped.items() if count}


def id_of(record: Mapping[str, object], key: str) -> str | None:
    """The id under a key, which may be a number; None where there is none."""
    value = record.get(key)
    return (
        str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose turns they are to be, where that is said, and what is to be taken of the source.

    ``pulse`` is called all the while something is read; what it raises ends the import. ``option`` says by what the
    caller raises a limit of a name; None where nobody can.
    """

    user_id: str | None = None
    agent_id: str | None = None
    tool_output: bool = False
    strict: bool = False
    limits: ImportLimits = field(default_factory=ImportLimits)
    pulse: Pulse = lambda: None
    option: Callable[[str], str] | None = None


@dataclass(slots=True)
class Session:
    """A piece of a session: what was found of it since the last piece. ``key`` names it in the store."""

    id: str
    key: str
    user_id: str
    agent_id: str | None
    run_id: str | None
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    continues: str | None = None
    turns: list[Turn] = field(default_factory=list)
    skipped: int = 0  # of its turns, for their size


class Gathering:
    """What was found so far in the files of one format."""

    def __init__(self, format_: str, wanted: Wanted) -> None:
        self.format, self.wanted = format_, wanted
        self.skipped: Counter[Skip] = Counter()
        self.malformed = 0
        self.over_limits: Counter[str] = Counter()  # what was left out, by the name of the limit
        self._sessions: dict[str, Session] = {}
        self._times: dict[str, int] = {}  # of the last turn of a session that had one
        self._ordinals: dict[int, int] = {}
        self._turns = self._characters = 0
        self._taken = 0
        self._place = _FILE  # of what is looked at, for messages

    @property
    def is_empty(self) -> bool:
        """True where nothing at all was found."""
        return not (self._taken or self._turns or self.malformed or self.skipped.total())

    @property
    def full(self) -> bool:
        """True where enough is gathered for one commit."""
        return self._turns >= _MOST_TURNS or self._characters >= _MOST_CHARACTERS

    @property
    def waiting(self) -> int:
        """How many turns were gathered since the last take."""
        return self._turns

    @property
    def times(self) -> Mapping[str, int]:
        """The time of the last turn that had one, by session."""
        return self._times

    def resume(self, skipped: Mapping[Skip, int], malformed: int, times: Mapping[str, int]) -> None:
        """Go on counting in a file from what was counted in it before."""
        self.skipped.update(skipped)
        self.malformed = malformed
        self._times.update(times)

    def take(self) -> list[Session]:
        """The pieces of sessions since the last take."""
        taken, self._sessions = list(self._sessions.values()), {}
        self._taken += self._turns
        self._turns = self._characters = 0
        return taken

    def next_file(self) -> None:
        """Another file begins: equal words in it are counted from the first."""
        self._ordinals.clear()
        self._times.clear()
        self._place = _FILE

    def records(self, file: DataFile) -> Iterator[Raw]:
        """The records of a file, from its beginning."""
        return reader.records(file, self.wanted.limits, self.wanted.pulse)

    def session(
        self, run_id: str | None, *, user_id: str | None = None, agent_id: str | None = None, name: str = ""
    ) -> Session:
        """The piece of the session that is being gathered; ``name`` is that of one without an id of its own.

        The ids that were asked for win over those of the record.
        """
        user = short(self.wanted.user_id or user_id or DEFAULT_USER)
        agent = short(self.wanted.agent_id or agent_id or "") or None
        id = short(run_id or name or self.format)
        key = id
        if user != DEFAULT_USER or agent:
            key += f"@{user}" + (f"/{agent}" if agent else "")
        return self._sessions.setdefault(key, Session(id, key, user, agent, run_id))

    def skip(self, reason: Skip, count: int = 1) -> None:
        """Count something that gives no turn."""
        self.skipped[reason] += count

    def bad(self) -> None:
        """Count something in the record at hand that is not of the format; where all must be, it is the last."""
        self.malformed += 1
        self._refuse("is none of this format")

    def value(self, raw: Raw) -> object:
        """The value of a record; None where it has none, which is counted."""
        self._place = raw.place
        match raw.value:
            case Skip.UNSUPPORTED:
                self.bad()
            case Skip() as reason:
                self.skip(reason)
                self._over(
                    "max_record_bytes" if reason is Skip.TOO_LARGE else "max_depth",
                    "is over the limit of its size or depth",
                )
            case found:
                return found
        return None

    def turn(
        self,
        session: Session,
        role: str,
        text: str,
        *,
        seq: int,
        id: str | None = None,
        time: object = None,
        part: str = "",
        origin: str | None = None,
    ) -> None:
        """Take in a turn. ``id`` is the source's, ``part`` tells several turns of one id apart, and ``origin`` is the
        session that the id is of, where that is another one."""
        scope = (self.format, session.user_id, session.agent_id or "", origin or session.id)
        at_ms, raw = timestamps.milliseconds(time), timestamps.raw(time)
        if at_ms is not None:
            self._times[session.key] = at_ms
        turn = Turn(
            id=derive(*scope, id, part) if id else self._derived(scope, role, text, raw or ""),
            role=role,
            text=text,
            session_id=session.key,
            claim=Claim.RECORD,
            seq=seq,
            uuid=None if id is None or origin else short(id),
            timestamp=raw and raw[:_LONGEST_TIME],
            at_ms=at_ms,
            sort_ms=self._times.get(session.key),
            branch=session.branch,
        )
        self.keep(session, turn)

    def keep(self, session: Session, turn: Turn) -> None:
        """Take in a turn that has its id already, without what memd itself put into it."""
        turn, others = _own(turn)
        if not turn.text.strip():
            self.skip(Skip.META if others else Skip.EMPTY)
        elif len(turn.text) > self.wanted.limits.max_turn_chars:
            self.skip(Skip.TOO_LARGE)
            session.skipped += 1
            self._over("max_turn_chars", "holds a turn over the limit of its size")
        else:
            session.turns.append(turn)
            self._turns += 1
            self._characters += len(turn.text)

    def _derived(self, scope: tuple[str, ...], role: str, text: str, time: str) -> str:
        """An id of all the turn says, and its number among equal ones in the file."""
        base = derive(*scope, role, time, text)
        short = int(base[:16], 16)
        ordinal = self._ordinals.get(short, 0)
        self._ordinals[short] = ordinal + 1
        return derive(base, str(ordinal))

    def _over(self, limit: str, what: str) -> None:
        self.over_limits[limit] += 1
        self._refuse(what, limit)

    def _refuse(self, what: str, limit: str | None = None) -> None:
        if self.wanted.strict:
            raise NotOfFormat(f"{self._place} {what}; nothing behind it is imported", limit=limit)
