"""What memd asks of a language model: one request, one reply.

Importing this file costs nothing: the SDK loads in a process of its own, at the first call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"


MOST_CHARACTERS = 1 << 20  # of a reply
MOST_TOKENS = 1_000_000_000  # of a call: no provider counts more in earnest


class Stop(StrEnum):
    """Why a model stopped."""

    END = "end_turn"
    CUT = "max_tokens"
    REFUSED = "refusal"
    TOO_LARGE = "too_large"  # the text was longer than memd takes, and is not handed on


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    ``system`` is the part that is the same in every call of a kind, and cached by the provider; ``prompt`` the rest.
    ``schema`` is the JSON schema of the answer: an object with ``additionalProperties: false`` at every level, as
    structured output demands. ``max_tokens`` bounds the answer. ``purpose`` and ``job`` (the row of the queue) say in
    the ledger what it was for, and go nowhere else.
    """

    system: str
    prompt: str
    schema: Mapping[str, object]
    max_tokens: int
    purpose: str
    job: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, and what it took.

    ``data`` is the answer as a JSON value; None where the text is no JSON: prose, an empty answer, one that was cut.
    Whether the value is of the schema's shape is for the caller to see. ``input_tokens`` are all of the prompt's, with
    those of it that the provider had cached. ``call`` is the row of the ledger.
    """

    text: str
    data: JSON
    model: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    stop_reason: str = Stop.END
    call: int | None = None


class LanguageModel(Protocol):
    """Asks a model. One call at a time; further ones wait their turn."""

    @property
    def name(self) -> str:
        """The provider: anthropic, bedrock or claude-cli."""
        ...

    @property
    def model(self) -> str:
        """The model that is asked, as the ledger names it."""
        ...

    def check(self) -> str:
        """What it is asked with, where that is in place; ModelError that says what is missing. Asks nobody."""
        ...

    async def complete(self, request: Request) -> Reply:
        """The model's reply. Raises ModelError, and BudgetSpent where today's budget does not hold the call.

        Cancelling it ends the call.
        """
        ...

    async def close(self) -> None:
        """End what runs, for good."""
        ...


def answered(text: str, data: JSON, model: str, usage: JSON, stop: str) -> Reply:
    """A reply with what it took, as the Messages API tells that in ``usage``; one that is too long loses its text."""
    told = usage if isinstance(usage, dict) else {}

    def tokens(name: str) -> int:
        found = told.get(name)
        return min(found, MOST_TOKENS) if isinstance(found, int) and found > 0 else 0

    if len(text) > MOST_CHARACTERS:
        text, data, stop = "", None, Stop.TOO_LARGE
    cached = tokens("cache_read_input_tokens")
    every = tokens("input_tokens") + tokens("cache_creation_input_tokens") + cached
    return Reply(text, data, model, every, cached, tokens("output_tokens"), stop)


def parsed(text: str) -> JSON:
    """The JSON value of a reply's text; None where it is none."""
    try:
        value: JSON = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
