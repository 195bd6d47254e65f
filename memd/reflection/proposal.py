"""A proposal: one change of the curated file that a reflection found, and what a person said to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from memd.reflection.memory_md import Patch
from memd.reflection.op import ReflectionOp

State = Literal["open", "applied", "rejected"]
STATES: Sequence[State] = get_args(State)


@dataclass(frozen=True, slots=True)
class Proposal:
    """``patch`` are the lines that it changed, once it was applied; ``in_file``: whether the file has it now.

    ``project`` is the name of the project that the reflection was about; ``file`` names the curated file (``places``).
    """

    id: int
    reflection: int
    project: str | None
    at_ms: int
    op: ReflectionOp
    state: State
    decided_ms: int | None
    patch: Patch
    in_file: bool
    file: str
