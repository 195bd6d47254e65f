"""Why a search answered as it did, as programs get it; recall's account with times for times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

from memd.recall import explain
from memd.recall.explain import ExplainedCandidate, ExplainedSection
from memd.turns.store import MemoryItem


@dataclass(frozen=True, slots=True)
class ExplainedTurn:
    """What became of one stored turn. ``tokens`` is what its block takes in the text, the line break included.

    ``session`` is the index of its session among those read, oldest first, None outside the time window; ``pool`` is
    user or reply, None where nothing was selected. ``status`` is kept, clipped or dropped, and ``reason`` says why.
    """

    id: str
    role: str
    created_at: datetime
    session: int | None
    pool: str | None
    status: str
    reason: str | None
    tokens: int
    share: float
    candidates: tuple[ExplainedCandidate, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The turn as JSON-ready data; `from_dict` reads it back."""
        plain = _plain(self)
        return plain | {
            "created_at": self.created_at.astimezone(UTC).isoformat(),
            "candidates": [one.to_dict() for one in self.candidates],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> ExplainedTurn:
        """The turn that `to_dict` gave, also after a way through JSON."""
        read = explain.ExplainedTurn.from_dict(data)
        return cls(**_plain(read) | {"created_at": datetime.fromisoformat(str(read.created_at))})  # type: ignore[arg-type]  # by name

    @classmethod
    def of(cls, told: explain.ExplainedTurn, item: MemoryItem) -> ExplainedTurn:
        """Recall's account of a stored turn."""
        return cls(**_plain(told) | {"created_at": item.created_at})  # type: ignore[arg-type]  # the same fields


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """Every decision behind a `MemoryContext`; nothing in it repeats a stored text.

    ``mode`` is whole_history, turns or digest, ``route`` the kind of question: lookup, advice, overview or other, None
    where the whole history fit. ``room`` is what the sections left of the budget, ``user_room`` the share of it for
    user turns, ``user_turn_cap`` the most one of them may take whole. ``clipped``: cut to whole words as a last resort.
    The tokens of turns and sections add up to ``tokens`` with ``unattributed_tokens``. ``turns`` are those of the
    scope, oldest first; of more than 5,000 those that were weighed, and ``rest`` counts the others by reason.
    """

    mode: str
    route: str | None
    budget: int
    tokens: int
    history_tokens: int
    room: int
    user_room: int | None
    user_turn_cap: int | None
    clipped: bool
    unattributed_tokens: int
    turns: tuple[ExplainedTurn, ...]
    sections: tuple[ExplainedSection, ...]
    rest: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON-ready data; `from_dict` reads it back."""
        return _plain(self) | {
            "turns": [one.to_dict() for one in self.turns],
            "sections": [one.to_dict() for one in self.sections],
            "rest": dict(self.rest),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> SearchExplanation:
        """The explanation that `to_dict` gave, also after a way through JSON."""
        read = explain.Explanation.from_dict({"rest": {}} | dict(data))
        given = data["turns"]
        turns = (
            tuple(ExplainedTurn.from_dict(one) for one in given) if isinstance(given, list | tuple) else ()
        )
        return cls(**_plain(read) | {"turns": turns})  # type: ignore[arg-type]  # the same fields

    @classmethod
    def of(cls, told: explain.Explanation, items: Mapping[str, MemoryItem]) -> SearchExplanation:
        """Recall's account over stored turns."""
        turns = tuple(ExplainedTurn.of(one, items[one.id]) for one in told.turns)
        return cls(**_plain(told) | {"turns": turns})  # type: ignore[arg-type]  # the same fields


def _plain(
    one: ExplainedTurn | SearchExplanation | explain.ExplainedTurn | explain.Explanation,
) -> dict[str, object]:
    return {field.name: getattr(one, field.name) for field in fields(one)}
