"""A call of the language model, as the ledger has it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """What came of a call; besides these the ``kind`` of the error it ended with."""

    RUNNING = "running"
    OK = "ok"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"  # memd ended while it ran


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call took. ``input`` are all tokens of the prompt, ``cached`` those of it that the provider had."""

    input: int
    cached: int
    output: int

    @property
    def all(self) -> int:
        """What counts against the cap."""
        return self.input + self.output


NOTHING = Tokens(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Call:
    """One row. ``tokens`` and ``price`` (US dollars; None: not known) are an estimate until the provider has counted,
    and stay one where it is not known what became of the call."""

    id: int
    at_ms: int
    job: int | None
    purpose: str
    model: str
    tokens: Tokens
    price: float | None
    result: str


@dataclass(frozen=True, slots=True)
class Answer:
    """How an answer began that nothing could be made of, and the word for why."""

    at_ms: int
    result: str
    text: str
