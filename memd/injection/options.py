"""The room's knobs, and where a text for a model is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from memd.memory import review, scoring
from memd.memory.entry import EVERYWHERE, MemoryScope
from memd.memory.which import Which

MOST_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class Options:
    """What is handed over, and how much of it. Budgets are in tokens; a ``tz`` of None is the machine's own.

    ``floor`` is the least relevance of what a prompt gets, from 0 to 1; ``sessions``: how many of the last ones.
    """

    session_start: bool = True
    prompt: bool = True
    session_tokens: int = 800
    prompt_tokens: int = 600
    floor: float = 0.36
    sessions: int = 5
    subagents: bool = False
    other_branches: bool = False
    tz: tzinfo | None = UTC
    scoring: scoring.Options = scoring.DEFAULT
    review: review.Options = field(default_factory=review.Options)


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is asked for: rows of ``project`` (None: all; none: a folder that memd does not know), the branch."""

    projects: Sequence[int] | None
    branch: str | None = None

    @property
    def which(self) -> Which:
        """The entries that hold here."""
        return Which(self.projects, self.branch)

    @property
    def scope(self) -> MemoryScope:
        """The scope that an entry is compared with."""
        if not self.projects or len(self.projects) > 1:
            return EVERYWHERE
        return MemoryScope(self.projects[0], self.branch)
