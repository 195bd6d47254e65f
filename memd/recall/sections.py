"""The sections above the turns: standing requests, preferences, and statements that contradict each other.

A section is shown where the question asks for it and something bears on it. Its statements stand word for word, the
best ones as long as they keep within its cap; the first of them alone may take up to half of the budget. All sections
together leave a quarter of the budget to the turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memd.recall import statements
from memd.recall.context import RecalledTurn, RecallOptions, Sections
from memd.recall.explain import ExplainedCandidate, ExplainedSection
from memd.recall.history import History
from memd.recall.question import Question
from memd.recall.render import Labels
from memd.recall.statements import Statement
from memd.recall.weighing import Scale, Weighed
from memd.text.tokens import Counter

BEST_ALONE = 0.5  # of the budget, where even the best statement is over the cap
ALL_SECTIONS = 0.75  # of the budget


@dataclass(frozen=True, slots=True)
class Kind:
    """What makes a section. ``cap`` is its share of the budget, ``most`` how many statements it shows."""

    name: str
    header: str
    cap: float
    most: int = 100


REQUESTS = Kind("requests", "Earlier requests of the user, meant to stand:", 0.15, most=3)
PREFERENCES = Kind("preferences", "Preferences the user stated:", 0.15)
CONFLICTS = Kind("conflicts", "Statements of the user on this that disagree, oldest first:", 0.2)
NAMES = (REQUESTS.name, PREFERENCES.name, CONFLICTS.name)


@dataclass(slots=True)
class Section:
    """One section as it came out: its statements best first, and the text of the kept ones or why there is none."""

    kind: Kind
    reason: str | None = None
    cap: int = 0
    weighed: Sequence[Weighed] = ()
    text: str = ""
    tokens: int = 0

    @property
    def kept(self) -> list[Statement]:
        """The statements that are shown, best first."""
        return [one.statement for one in self.weighed if one.status == "kept"]


def build(question: Question, history: History, options: RecallOptions, counter: Counter) -> Sections:
    """What stands above the turns of an answer, with every statement that was weighed for it."""
    wanted = (
        (REQUESTS, options.requests, question.wants_requests, Scale.requests),
        (PREFERENCES, options.preferences, question.wants_preferences, Scale.preferences),
        (CONFLICTS, options.conflicts, question.wants_conflicts, Scale.claims),
    )
    scale = Scale(question.text, history) if any(on and asks for _, on, asks, _ in wanted) else None
    filler = _Filler(options, counter)
    made = [
        filler.section(kind, weigh(scale))
        if scale and on and asks
        else Section(kind, "route" if on else "off")
        for kind, on, asks, weigh in wanted
    ]
    requests, preferences, conflicts = (_recalled(section, scale) for section in made)
    best = made[0].kept[:1]
    return Sections(
        text="".join(section.text for section in made),
        requests=requests,
        preferences=preferences,
        conflicts=conflicts,
        explained=tuple(_explained(section, options.budget, counter) for section in made),
        fetch=tuple(filter(None, map(statements.asks_for, best))),
    )


class _Filler:
    """Fills sections one after the other, each with what the ones before it left."""

    def __init__(self, options: RecallOptions, counter: Counter) -> None:
        self._budget = options.budget
        self._room = int(options.budget * ALL_SECTIONS)
        self._stamp = Labels(options).stamp
        self._counter = counter

    def section(self, kind: Kind, weighed: Sequence[Weighed]) -> Section:
        """The section with as many of its statements as may stand there."""
        section = Section(kind, cap=int(self._budget * kind.cap), weighed=weighed)
        standing = [one for one in weighed if one.reason is None]
        if not standing:
            section.reason = "no_match" if weighed else "no_statement"
            return section
        first = _both_sides(standing) if kind is CONFLICTS else standing[:1]
        if not first:
            return _dropped(section, standing, "one_sided")
        section.reason = self._start(section, first)
        if section.reason:
            return _dropped(section, standing, section.reason)
        self._fill(section, [one for one in standing if one not in first])
        self._room -= section.tokens
        return section

    def _start(self, section: Section, first: Sequence[Weighed]) -> str | None:
        """Keep the statements without which there is no section, or say what they are too long for."""
        text = self._text(section.kind, first)
        tokens = self._counter.count(text)
        if tokens > max(section.cap, int(self._budget * BEST_ALONE)):
            return "over_cap"
        if tokens > self._room:
            return "no_room"
        for one in first:
            one.status = "kept"
        section.text, section.tokens = text, tokens
        return None

    def _fill(self, section: Section, others: Sequence[Weighed]) -> None:
        for one in others:
            kept = [other for other in section.weighed if other.status == "kept"]
            if len(kept) >= section.kind.most:
                one.reason = "pool_full"
                continue
            text = self._text(section.kind, [*kept, one])
            tokens = self._counter.count(text)
            if tokens > min(section.cap, self._room):
                one.reason = "over_budget"
                continue
            one.status = "kept"
            section.text, section.tokens = text, tokens

    def _text(self, kind: Kind, kept: Sequence[Weighed]) -> str:
        """The section as it is shown, the blank line behind it included."""
        shown = [one.statement for one in kept]
        lines = [kind.header, *map(self._line, _in_order(shown) if kind is CONFLICTS else shown)]
        return "\n".join(lines) + "\n\n"

    def _line(self, statement: Statement) -> str:
        stamp = self._stamp(statement.turn)
        return f"- [{stamp}] {statement.text}" if stamp else f"- {statement.text}"


def _both_sides(standing: Sequence[Weighed]) -> list[Weighed]:
    """The best statement of each side; none where there is only one side."""
    sides = {one.statement.side: one for one in reversed(standing)}
    return list(sides.values()) if len(sides) == 2 else []


def _dropped(section: Section, standing: Sequence[Weighed], reason: str) -> Section:
    section.reason = reason
    for one in standing:
        one.reason = reason
    return section


def _recalled(section: Section, scale: Scale | None) -> tuple[RecalledTurn, ...]:
    if scale is None:
        return ()
    shown = _in_order(section.kept) if section.kind is CONFLICTS else section.kept
    return tuple(
        RecalledTurn(one.turn, scale.asked.share(one.text), partial=not one.whole, shown=one.text)
        for one in shown
    )


def _in_order(shown: Iterable[Statement]) -> list[Statement]:
    return sorted(shown, key=lambda statement: (statement.turn.order, statement.part))


def _explained(section: Section, budget: int, counter: Counter) -> ExplainedSection:
    candidates = (
        ExplainedCandidate(
            turn_id=one.statement.turn.id,
            pool=section.kind.name,
            kind="statement",
            part=one.statement.part,
            rank=rank,
            score=round(one.score, 6),
            tokens=counter.count(one.statement.text),
            status=one.status,
            reason=one.reason,
            side=one.statement.side,
        )
        for rank, one in enumerate(section.weighed, start=1)
    )
    return ExplainedSection(
        name=section.kind.name,
        shown=bool(section.text),
        reason=section.reason,
        cap=section.cap,
        tokens=section.tokens,
        share=section.tokens / budget,
        candidates=tuple(candidates),
    )
