"""What several machines share: turns with their sessions and vectors, and what was forgotten, in one store they reach.

Every machine keeps all it reads in its own database and answers from there; the shared store is where turns meet. Each
tells it what is new (``publish``) and reads what the others told (``changes``). Ids come from the messages themselves,
so whatever is told twice is there once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

Facts = Mapping[str, str | int | float | bool | Mapping[str, str | None] | None]
"""What is told of a turn or session beside its text, as JSON holds it."""

Mark = Mapping[str, int]
"""How far somebody has read, as the store itself put it; empty for one who has read nothing."""


class Whose(NamedTuple):
    """Whose turns are read: of these users (None: of everybody), and of one agent where it is named."""

    users: Sequence[str] | None
    agent: str | None = None


class SharedTurn(NamedTuple):
    """A turn as machines tell it to each other. ``at_us``: UTC microseconds."""

    id: str
    session: str  # the session's key
    role: str
    text: str
    at_us: int
    user: str
    agent: str | None
    facts: Facts


class SharedSession(NamedTuple):
    """What is known of a session: its key, whose it is, and its facts (format, title, project, branch …)."""

    key: str
    user: str
    agent: str | None
    facts: Facts


class SharedVectors(NamedTuple):
    """The vectors of a turn's text in a space: int8 windows, each with the signs of its tokens (empty: none)."""

    turn: str
    space: str
    windows: Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Told:
    """What is told at once. ``changed``: turns that may be there with another text or other facts.

    ``forgotten``: ids of turns that are to go for good, whoever told them first.
    """

    sessions: Sequence[SharedSession] = ()
    turns: Sequence[SharedTurn] = ()
    changed: Sequence[SharedTurn] = ()
    vectors: Sequence[SharedVectors] = ()
    forgotten: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """What was told since a mark, and the mark behind it. ``forgotten`` are tombstones of turns, not their ids.

    ``restarted``: the store is not the one that the mark was made for (it was restored, or made anew): the mark was
    taken as empty, and what was told to it before may have to be told again.
    """

    mark: Mark
    sessions: Sequence[SharedSession] = ()
    turns: Sequence[SharedTurn] = ()
    vectors: Sequence[SharedVectors] = ()
    forgotten: Sequence[bytes] = ()
    more: bool = False
    restarted: bool = False


class SharedStore(Protocol):
    """One store for several machines; safe to share between threads.

    What cannot be reached raises Busy or StorageFailed, in seconds: nothing waits for a network for ever.
    """

    def publish(self, told: Told) -> int:
        """Tell all of this or nothing; how many turns were new. What is known or forgotten there is passed over.

        A session is kept while turns of its user are in it: it is told with its turns, or behind them. A fact that is
        None leaves a known one as it is. The title of a session goes for good when one of its turns is forgotten. What
        changed is taken from the turn's own user alone, and another text takes the vectors of the old one along.
        """
        ...

    def changes(self, mark: Mark, whose: Whose, space: str | None, most: int) -> Heard:
        """What was told since, about ``most`` turns of it at once; vectors of this space alone, None for none.

        No turn comes before its session, and each comes with the vectors that it has by then. Nothing is ever skipped,
        however late a transaction of another machine commits; what was heard already may come again.
        """
        ...

    def close(self) -> None:
        """Let go of the connections; it is of no use then."""
        ...
