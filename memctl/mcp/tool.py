"""What a tool is: what it is called and takes, what it does to memory, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memctl.mcp.given import Given, Schema, check, closed
from memctl.mcp.memory import Memory


@dataclass(frozen=True, slots=True)
class Result:
    """The text for the model, and for programs what has a name in it.

    ``facts`` hold no stored text: a client may hand a model these in place of the text.
    """

    text: str
    facts: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. ``writes``: it changes memory; ``destroys``: beyond what an undo brings back."""

    name: str
    title: str
    description: str
    answer: Callable[[Memory, Given], Result]
    takes: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    writes: bool = False
    destroys: bool = False
    idempotent: bool = True

    @property
    def schema(self) -> dict[str, object]:
        """The closed JSON schema of its arguments."""
        return closed(self.takes, self.required)

    def call(self, memory: Memory, given: Given) -> Result:
        """The result; Failure that says what is wrong with the arguments, or with memd."""
        check(given, self.takes, self.required)
        return self.answer(memory, given)
