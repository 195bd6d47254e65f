"""What recall is handed and what it gives: turns as it sees them, its options, and the context with its turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from memd.recall.explain import ExplainedSection, Explanation

COVERAGES = ("auto", "always", "never")
RELEVANCES = ("hybrid", "lexical", "semantic")
STAMP_FORMAT = "%Y-%m-%d (%a) %H:%M"


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn as recall sees it, word for word.

    ``at_ms`` is UTC milliseconds, or None where the source has no time; ``sort_ms`` stands in for it in every order,
    then ``seq``, which orders the turns of a session.
    """

    id: str
    role: str
    text: str
    session: str
    seq: int
    at_ms: int | None = None
    sort_ms: int = 0
    project: str | None = None
    agent: str | None = None

    @property
    def by_user(self) -> bool:
        """True of what the user said; all else is a reply."""
        return self.role == "user"

    @property
    def order(self) -> tuple[int, int, str]:
        """The place among the turns of a session."""
        return self.sort_ms, self.seq, self.id


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """What the caller may choose. ``budget`` is in tokens; ``since_ms`` counts in, ``until_ms`` does not; a ``tz`` of
    None is the machine's own."""

    budget: int = 2000
    coverage: str = "auto"
    requests: bool = True
    preferences: bool = True
    conflicts: bool = True
    relevance: str = "hybrid"
    tz: tzinfo | None = UTC
    stamp_format: str = STAMP_FORMAT
    date_format: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        if self.budget < 1:
            raise ValueError(f"budget must be 1 token or more, not {self.budget}")
        if self.coverage not in COVERAGES:
            raise ValueError(f"coverage must be one of {', '.join(COVERAGES)}, not {self.coverage!r}")
        if self.relevance not in RELEVANCES:
            raise ValueError(f"relevance must be one of {', '.join(RELEVANCES)}, not {self.relevance!r}")

    def holds(self, turn: StoredTurn) -> bool:
        """Whether a turn lies in the time window."""
        late_enough = self.since_ms is None or turn.sort_ms >= self.since_ms
        return late_enough and (self.until_ms is None or turn.sort_ms < self.until_ms)


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn that stands in the context; ``partial`` where only some of it does.

    ``score`` is the share of the question that the turn holds, from 0 to 1, for display alone. ``shown`` is what stands
    there of it, without its label.
    """

    turn: StoredTurn
    score: float = 0.0
    partial: bool = False
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Sections:
    """What stands above the turns, as `sections.build(question, history, options, counter)` makes it.

    ``text`` is the sections as they are shown, each with its header, each followed by a blank line (so it is empty or
    ends in one). ``explained`` always tells of all three. ``fetch`` is what the best request asks an answer to hold:
    texts that are looked for too.
    """

    text: str = ""
    requests: tuple[RecalledTurn, ...] = ()
    preferences: tuple[RecalledTurn, ...] = ()
    conflicts: tuple[RecalledTurn, ...] = ()
    explained: tuple[ExplainedSection, ...] = ()
    fetch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """The text to put before a model, never over the budget, and what stands in it.

    The text is untrusted: it repeats what users, assistants and tools said. ``note`` says why it is empty where it is.
    ``history_tokens`` is what the whole history would take; an estimate where ``history_exact`` is false. ``whole``: it
    fits, and all of it is there.
    """

    query: str
    text: str
    tokens: int
    budget: int
    counter: str
    history_tokens: int
    history_exact: bool = True
    turns: tuple[RecalledTurn, ...] = ()
    requests: tuple[RecalledTurn, ...] = ()
    preferences: tuple[RecalledTurn, ...] = ()
    conflicts: tuple[RecalledTurn, ...] = ()
    sessions_total: int = 0
    sessions_kept: int = 0
    note: str | None = None
    whole: bool = False
    explanation: Explanation | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.text
