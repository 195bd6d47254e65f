"""The page that is handed over: the lines that fit, behind one fence, never over the budget nor ``MOST_CHARS``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memd.injection.lines import Item, Told
from memd.injection.options import MOST_CHARS
from memd.text import fence, tokens
from memd.text.tokens import Counter

LEAST_CHARS = 60  # of a text that is cut


@dataclass(frozen=True, slots=True)
class Page:
    """The text, empty where there is nothing to say, and the items that stand in it."""

    text: str = ""
    items: Sequence[Item] = ()


EMPTY = Page()


def fitted(told: Sequence[Told], budget: int, counter: Counter) -> Page:
    """As many of the lines as fit, the highest rank first, in the order in which they are given.

    Where not even the first does, as much of it as does.
    """
    left, room = budget - counter.count(fence.FRAME), MOST_CHARS - len(fence.FRAME)
    kept: dict[int, Told] = {}
    for place in sorted(range(len(told)), key=lambda place: -told[place].rank):
        chosen = told[place] if kept else _cut(told[place], left, room, counter)
        if chosen is None:
            break
        shown = fence.shown(chosen.line) + "\n"
        cost = counter.count(shown)
        if cost <= left and len(shown) <= room:
            kept[place] = chosen
            left, room = left - cost, room - len(shown)
    while kept and not tokens.fits(_text(kept), budget, counter):  # together they may take more than apart
        kept.popitem()
    return Page(_text(kept), tuple(item for place in sorted(kept) if (item := kept[place].item)))


def _cut(one: Told, left: int, room: int, counter: Counter) -> Told | None:
    """The line with as much of its text as fits; None where that is next to nothing."""
    tried, part = min(left, room), one
    while len(shown := fence.shown(part.line) + "\n") > room or not tokens.fits(shown, left, counter):
        text = tokens.cut(one.line.text[:room], tried, counter).rstrip()
        if len(text) < LEAST_CHARS or tried < 1:
            return None
        part = replace(one, line=replace(one.line, text=f"{text} …"))
        tried = tried * 3 // 4
    return part


def _text(kept: Mapping[int, Told]) -> str:
    return fence.fenced(kept[place].line for place in sorted(kept))
