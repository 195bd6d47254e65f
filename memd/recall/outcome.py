"""What a recall came to, before it is told: the text in blocks, and every candidate with what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memd.recall.context import Sections
from memd.recall.explain import Mode
from memd.recall.render import Block
from memd.recall.select import Room, Weighed


@dataclass(frozen=True, slots=True)
class Outcome:
    """``blocks`` are the shown turns by session, each with its label. ``refused``: what was found bears on the question
    too little. ``clipped``: words were cut as a last resort."""

    mode: Mode
    route: str | None
    weighed: Sequence[Weighed] = ()
    above: Sections = field(default_factory=Sections)
    room: Room | None = None
    text: str = ""
    blocks: Sequence[Sequence[Block]] = ()
    refused: bool = False
    clipped: bool = False

    @property
    def partial(self) -> set[str]:
        """The ids of turns that are shown in part."""
        blocks = (block for session in self.blocks for block in session)
        return {block.turn.id for block in blocks if block.shown.strip() != block.turn.text.strip()}
