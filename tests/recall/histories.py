"""Turns, histories and questions for tests of recall."""

from __future__ import annotations

from collections.abc import Sequence

from memd.recall.context import Context, RecallOptions, StoredTurn
from memd.recall.in_memory import InMemoryHistory, Scorer
from memd.recall.recall import recall
from memd.text.tokens import Counter, Estimate, Offline

START_MS = 1_790_000_000_000
MINUTE_MS = 60_000
EXACT = Offline()
ESTIMATE = Estimate()


def turn(
    number: int, text: str, *, role: str = "user", session: str = "s1", minute: int | None = None
) -> StoredTurn:
    """A turn that was said ``number`` minutes (or at ``minute``) after the start."""
    at_ms = START_MS + (number if minute is None else minute) * MINUTE_MS
    return StoredTurn(f"{session}-{number}", role, text, session, number, at_ms, at_ms)


def talk(*texts: str, session: str = "s1", start: int = 0) -> list[StoredTurn]:
    """A session in which user and assistant take turns."""
    roles = ("user", "assistant")
    return [turn(start + n, text, role=roles[n % 2], session=session) for n, text in enumerate(texts)]


def filler(n: int, *, session: str = "filler", start: int = 1_000) -> list[StoredTurn]:
    """Turns about nothing that is asked about, so that a history does not fit."""
    return talk(
        *(
            f"Routine matter number {place}: the gardener watered another row of tulips."
            for place in range(n)
        ),
        session=session,
        start=start,
    )


def ask(
    turns: Sequence[StoredTurn],
    query: str,
    *,
    counter: Counter = EXACT,
    scorer: Scorer | None = None,
    **more: object,
) -> Context:
    """The context of a question over these turns; ``more`` are options."""
    options = RecallOptions(**more)  # type: ignore[arg-type]  # by name
    return recall(query, InMemoryHistory(turns, query, options, scorer), options, counter)
