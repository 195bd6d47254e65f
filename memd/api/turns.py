"""Turn memory for programs: every turn word for word, and of them, for each question, what fits a budget."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from memd.api import messages as spoken
from memd.api import scorers
from memd.api.found import MemoryContext
from memd.api.history import Sessions, StoreHistory
from memd.api.messages import Message
from memd.api.scoped import ScopedMemory
from memd.api.scorers import Ranking, Relevance
from memd.recall.context import STAMP_FORMAT, Context, RecallOptions
from memd.recall.in_memory import InMemoryHistory
from memd.recall.recall import recall
from memd.text.tokens import Counter, Offline
from memd.turns.store import Indexed, MemoryItem, MemoryStore, Scope
from memd.turns.stores.open import open_store

_COUNTER: Counter = Offline()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _utcnow() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Window:
    """A time window: ``since`` counts in, ``until`` does not."""

    since: datetime | None
    until: datetime | None

    @classmethod
    def of(cls, since: object, until: object) -> _Window:
        return cls(spoken.moment(since), spoken.moment(until))


class Memory:
    """A memory of turns in one store; nothing is summarised or made up, on the way in or out.

    ``store`` is None (in this process), the path of a SQLite file, a ``postgresql://`` or ``mongodb://`` URL, or an
    object that does what `MemoryStore` says.
    ``budget`` is in tokens; ``relevance`` is lexical (words alone), hybrid (memd's embedding model too),
    semantic (and the best are read by a cross-encoder, where one lies in the model cache), or a function of a question
    and texts that scores each. ``tz`` is the zone of the dates that a model is shown and of
    the calendar days that are sessions where no run is named; ``stamp_format`` is strftime's, and ``date_format`` what
    a turn shows whose time is that of the turn before it. ``clock`` gives the time of turns without one. The sections
    ``standing_requests``, ``preferences`` and ``conflicts`` may stand above the turns; ``coverage`` says when a summary
    of how each turn begins is given: auto, always or never. ValueError for what is none of these.
    """

    def __init__(
        self,
        store: MemoryStore | str | os.PathLike[str] | None = None,
        *,
        budget: int = 2000,
        relevance: Relevance = "lexical",
        tz: tzinfo = UTC,
        stamp_format: str = STAMP_FORMAT,
        date_format: str | None = None,
        clock: Callable[[], datetime] = _utcnow,
        standing_requests: bool = True,
        coverage: str = "auto",
        preferences: bool = True,
        conflicts: bool = True,
    ) -> None:
        scorers.meaning(relevance)
        self._options = RecallOptions(
            budget=budget,
            coverage=coverage,
            requests=standing_requests,
            preferences=preferences,
            conflicts=conflicts,
            tz=tz,
            stamp_format=stamp_format,
            date_format=date_format,
        )
        self._relevance, self._clock, self._sessions = relevance, clock, Sessions(tz)
        self.store = open_store(store)

    def add(
        self,
        messages: Message | Sequence[Message],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        timestamp: object = None,
        metadata: Mapping[str, object] | None = None,
    ) -> list[MemoryItem]:
        """Store turns word for word, all or none, and give them as stored; what holds no text is left out.

        A text is a user's turn. A message's own ``timestamp`` or ``created_at`` goes before the argument, that before
        the clock. ValueError for a scope or role that is none, TypeError for what is no message or time.
        """
        items = spoken.items(messages, Scope(user_id, agent_id, run_id), timestamp, metadata, self._clock)
        if not items:
            return []
        self.store.add(items)
        return [self.store.get(item.id) or item for item in items]

    def update(
        self,
        memory_id: str,
        content: str | None = None,
        *,
        metadata: Mapping[str, object] | None = None,
    ) -> MemoryItem | None:
        """Correct a turn's text or metadata; the turn as it is now, None where there is none by that id.

        ValueError for a blank text.
        """
        if content is not None and not spoken.sound(content).strip():
            raise ValueError("content must not be blank; delete the turn to be rid of it")
        return self.store.update(memory_id, content=content, metadata=metadata)

    def delete(self, memory_id: str) -> bool:
        """Delete a turn; whether it was there."""
        return self.store.delete(memory_id)

    def delete_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> int:
        """Delete every turn of a scope; how many there were. ValueError where none is named."""
        return self.store.delete_scope(Scope(user_id, agent_id, run_id))

    def get(self, memory_id: str) -> MemoryItem | None:
        """One turn; None where there is none by that id."""
        return self.store.get(memory_id)

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        since: object = None,
        until: object = None,
    ) -> list[MemoryItem]:
        """Every turn of a scope with ``since <= created_at < until``, oldest first."""
        window = _Window.of(since, until)
        return self.store.list(Scope(user_id, agent_id, run_id), since=window.since, until=window.until)

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        budget: int | None = None,
        relevance: Relevance | None = None,
        since: object = None,
        until: object = None,
        standing_requests: bool | None = None,
        coverage: str | None = None,
        preferences: bool | None = None,
        conflicts: bool | None = None,
        explain: bool = False,
    ) -> MemoryContext:
        """What of a scope answers the question, within ``budget`` tokens; the arguments go before the memory's own.

        ValueError for a blank question, a budget below 1, and a scope that names nobody.
        """
        started = time.perf_counter()
        if not spoken.sound(query).strip():
            raise ValueError("the question must not be blank")
        window = _Window.of(since, until)
        chosen = {
            "budget": budget,
            "requests": standing_requests,
            "coverage": coverage,
            "preferences": preferences,
            "conflicts": conflicts,
            "since_ms": _milliseconds(window.since),
            "until_ms": _milliseconds(window.until),
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        options = replace(self._options, explain=explain, **given)  # type: ignore[arg-type]  # by name
        ranking = Ranking(self._relevance if relevance is None else relevance)
        found, items = self._recalled(query, Scope(user_id, agent_id, run_id), window, options, ranking)
        context = MemoryContext.of(found, items, round((time.perf_counter() - started) * 1000, 3))
        return replace(context, relevance=ranking.name, cross_encoder=ranking.cross_encoder)

    def within(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> ScopedMemory:
        """This memory held to one scope, also where turns are named by id."""
        return ScopedMemory(self, Scope(user_id, agent_id, run_id))

    def _recalled(
        self, query: str, scope: Scope, window: _Window, options: RecallOptions, ranking: Ranking
    ) -> tuple[Context, Mapping[str, MemoryItem]]:
        """The context, and the stored turns that were read for it; a store without an index is read whole."""
        meaning, rescore = ranking.meaning, ranking.rescore
        if isinstance(self.store, Indexed):
            with self.store.view(scope, since=window.since, until=window.until) as view:
                indexed = StoreHistory(view, query, self._sessions, meaning)
                return recall(query, indexed, options, _COUNTER, rescore), indexed.items
        items = self.store.list(scope)
        turns = [self._sessions.turn(item) for item in items]
        history = InMemoryHistory(turns, query, options, meaning and meaning.scorer)
        return recall(query, history, options, _COUNTER, rescore), {item.id: item for item in items}


def _milliseconds(moment: datetime | None) -> int | None:
    """UTC milliseconds, begun ones counted in."""
    return None if moment is None else -((_EPOCH - moment) // timedelta(milliseconds=1))
