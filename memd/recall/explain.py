"""Why recall answered as it did: a record of what it decided, by ids alone; no stored text is repeated.

The tokens of the turns and sections, with ``unattributed_tokens``, add up to the tokens of the text. Every candidate,
turn and section that is not in the text whole has one of the ``REASONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, TypeVar

Mode = Literal["whole_history", "turns", "digest"]
Status = Literal["kept", "clipped", "dropped"]
Side = Literal["denies", "affirms"]
_T = TypeVar("_T")

REASONS: Mapping[str, str] = {
    # of candidates and turns
    "outside_window": "before --since, or not before --until",
    "no_match": "shares no word with the question, and its meaning is not near",
    "below_floor": "bears on the question too little, as all else does",
    "over_budget": "longer than what the budget had left",
    "pool_full": "ranked behind what filled the room",
    "over_turn_cap": "longer than one turn may take: its best parts stand for it",
    "best_parts": "a reply is kept in the parts that bear on the question most",
    "opening_only": "a summary keeps how a turn begins",
    "not_sampled": "others stand for its part of the time in the summary",
    "duplicate": "says word for word what a kept one says",
    "shown_in_section": "stands in a section above",
    "clipped_to_fit": "kept in part: the whole did not fit",
    "clipped_last_resort": "cut to whole words, for the budget holds no more",
    # of sections
    "off": "switched off",
    "history_fits": "the whole history is shown",
    "route": "a question of this kind does not ask for it",
    "no_statement": "nobody stated such a thing",
    "one_sided": "the statements do not disagree",
    "over_cap": "longer than the section may be",
    "no_room": "the budget has no room for the section",
}


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A turn, a part of one, or a statement, that was weighed.

    ``pool`` is where it competed: user, reply, detail, or a section. ``kind`` is turn, window, opening or statement;
    ``part`` its place in its turn. ``rank`` (1 first) and ``score`` compare within a pool, and are None where nothing
    was ranked. ``tokens`` is its own size, without label or bullet. ``side`` is of a statement about a conflict.
    """

    turn_id: str
    pool: str
    kind: str
    part: int
    rank: int | None
    score: float | None
    tokens: int
    status: Status
    reason: str | None = None
    side: Side | None = None

    def to_dict(self) -> dict[str, object]:
        """The candidate as JSON-ready data; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> ExplainedCandidate:
        """The candidate that `to_dict` gave, also after a way through JSON."""
        return _made(cls, data)


@dataclass(frozen=True, slots=True)
class ExplainedTurn:
    """What became of one turn. ``tokens`` is what its block takes in the text, the line break after it included.

    ``session`` is the index of its session among those read, oldest first, None outside the time window; ``pool`` is
    None where nothing was selected.
    """

    id: str
    role: str
    created_at: str | None
    session: int | None
    pool: str | None
    status: Status
    reason: str | None
    tokens: int
    share: float
    candidates: tuple[ExplainedCandidate, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The turn as JSON-ready data; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> ExplainedTurn:
        """The turn that `to_dict` gave, also after a way through JSON."""
        return _made(cls, data, candidates=_each(ExplainedCandidate.from_dict, data, "candidates"))


@dataclass(frozen=True, slots=True)
class ExplainedSection:
    """What became of a section. ``cap`` is the most its statements may take, 0 where it was not built; ``tokens`` what
    it takes in the text, header and blank line included; its statements, best first."""

    name: str
    shown: bool
    reason: str | None
    cap: int = 0
    tokens: int = 0
    share: float = 0.0
    candidates: tuple[ExplainedCandidate, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The section as JSON-ready data; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> ExplainedSection:
        """The section that `to_dict` gave, also after a way through JSON."""
        return _made(cls, data, candidates=_each(ExplainedCandidate.from_dict, data, "candidates"))


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every decision behind a context.

    ``turns`` are those of the scope, oldest first; in a large scope only those that were weighed, and ``rest`` counts
    the others by reason. ``room`` is what the sections left of the budget, ``user_room`` the share of it for user
    turns, ``user_turn_cap`` the most one of them may take whole. ``clipped``: cut to whole words as a last resort.
    """

    mode: Mode
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
    rest: Mapping[str, int]

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON-ready data; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Explanation:
        """The explanation that `to_dict` gave, also after a way through JSON."""
        turns = _each(ExplainedTurn.from_dict, data, "turns")
        return _made(cls, data, turns=turns, sections=_each(ExplainedSection.from_dict, data, "sections"))


def _made(make: Callable[..., _T], data: Mapping[str, object], **nested: object) -> _T:
    return make(**{**data, **nested})


def _each(
    make: Callable[[Mapping[str, object]], _T], data: Mapping[str, object], name: str
) -> tuple[_T, ...]:
    found = data[name]
    return tuple(make(one) for one in found) if isinstance(found, list | tuple) else ()
