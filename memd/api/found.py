"""What a search of turn memory gives: the text for a model, and the stored turns that stand in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from memd.api.explanation import SearchExplanation
from memd.recall import context
from memd.recall.context import Context
from memd.turns.store import MemoryItem


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A stored turn that stands in a context; ``partial`` where only some of it does.

    ``score`` is the share of the question that the turn holds, from 0 to 1, for display alone.
    """

    item: MemoryItem
    score: float
    partial: bool = False

    def to_dict(self) -> dict[str, object]:
        """The turn as JSON-ready data; `from_dict` reads it back."""
        return {"item": self.item.to_dict(), "score": self.score, "partial": self.partial}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> RecalledTurn:
        """The turn that `to_dict` gave, also after a way through JSON."""
        item = MemoryItem.from_dict(data["item"])  # type: ignore[arg-type]  # a mapping, as `to_dict` wrote it
        return cls(item, float(str(data["score"])), bool(data["partial"]))


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The text to put before a model, never over the budget, and what stands in it.

    The text is untrusted: it repeats what users, assistants and tools said, so hand it on as data. ``note`` says why it
    is empty where it is. ``history_tokens`` is what all turns would take, ``counter`` what tokens were counted with;
    ``explanation`` is None unless it was asked for. ``relevance`` is what ranked: the one asked for (``scorer`` for a
    function), or hybrid where semantic was and there is no cross-encoder; ``cross_encoder`` then says why.
    """

    query: str
    text: str
    turns: tuple[RecalledTurn, ...]
    tokens: int
    budget: int
    history_tokens: int
    sessions_total: int
    sessions_kept: int
    elapsed_ms: float = 0.0
    requests: tuple[RecalledTurn, ...] = ()
    preferences: tuple[RecalledTurn, ...] = ()
    conflicts: tuple[RecalledTurn, ...] = ()
    explanation: SearchExplanation | None = field(default=None, repr=False)
    note: str | None = None
    counter: str = ""
    whole: bool = field(default=False, repr=False)
    relevance: str = ""
    cross_encoder: str = ""

    @property
    def compressed(self) -> bool:
        """True where the history did not fit and was selected from."""
        return not self.whole

    def to_dict(self) -> dict[str, object]:
        """The context as JSON-ready data; `from_dict` reads it back."""
        plain: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        told = self.explanation
        lists = {name: [one.to_dict() for one in getattr(self, name)] for name in _LISTS}
        return plain | lists | {"explanation": told and told.to_dict(), "compressed": self.compressed}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> MemoryContext:
        """The context that `to_dict` gave, also after a way through JSON."""
        made: dict[str, object] = {name: value for name, value in data.items() if name != "compressed"}
        for name in _LISTS:
            given = data[name]
            made[name] = tuple(map(RecalledTurn.from_dict, given)) if isinstance(given, list | tuple) else ()
        told = data.get("explanation")
        made["explanation"] = SearchExplanation.from_dict(told) if isinstance(told, Mapping) else None
        return cls(**made)  # type: ignore[arg-type]  # by name, as `to_dict` wrote them

    @classmethod
    def of(cls, found: Context, items: Mapping[str, MemoryItem], elapsed_ms: float) -> MemoryContext:
        """Recall's context over stored turns."""
        told = found.explanation
        return cls(
            query=found.query,
            text=found.text,
            turns=_recalled(found.turns, items),
            tokens=found.tokens,
            budget=found.budget,
            history_tokens=found.history_tokens,
            sessions_total=found.sessions_total,
            sessions_kept=found.sessions_kept,
            elapsed_ms=elapsed_ms,
            requests=_recalled(found.requests, items),
            preferences=_recalled(found.preferences, items),
            conflicts=_recalled(found.conflicts, items),
            explanation=SearchExplanation.of(told, items) if told else None,
            note=found.note,
            counter=found.counter,
            whole=found.whole,
        )

    def __str__(self) -> str:
        return self.text


_LISTS = ("turns", "requests", "preferences", "conflicts")


def _recalled(
    turns: Sequence[context.RecalledTurn], items: Mapping[str, MemoryItem]
) -> tuple[RecalledTurn, ...]:
    return tuple(RecalledTurn(items[one.turn.id], one.score, one.partial) for one in turns)
