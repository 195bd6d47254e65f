"""What a file gave since it was last asked: turns, what became of earlier ones, and what is to be kept to read on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memd.turns.turn import Claim, Turn


class Left(NamedTuple):
    """Lines from ``first`` up to ``last`` were taken back, after so many turns of a harvest."""

    first: int
    last: int
    turns: int


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was gathered since the last take.

    ``claims`` give turns of earlier takes to the session that became known since. ``hidden`` are ids of turns, of this
    take or earlier ones, that a rewind left behind; ``shown`` would be those that came back, which no rule allows for
    now. ``left`` are stretches of lines that were taken back. Where ``reworded`` is true, a turn that is stored already
    says by now what it says here. ``nodes`` is to be kept as one more chunk and ``head`` in place of the last one, for
    who reads on.
    """

    turns: list[Turn]
    claims: list[tuple[str, str, Claim]]
    hidden: list[str]
    nodes: bytes
    head: bytes
    shown: Sequence[str] = ()
    left: Sequence[Left] = ()
    reworded: bool = False
