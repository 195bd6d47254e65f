"""A text in units: its sentences, and what must not be taken apart (list items, blocks of code, tables).

Units cover the text without a gap, each with the white space behind it: joined they give back the text, and any run of
them is verbatim. Nothing but code and tables is longer than ``LONGEST``. The cost grows with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memd.text.abbreviations import ALWAYS, BEFORE_NUMBERS, BEFORE_SMALL, MONTHS
from memd.text.blocks import Block, Kind, blocks

LONGEST = 1_000
WHOLE_ITEM = 400  # a longer list item is split into sentences
WRAPPED = 60  # a line at least so long may go on in the next

_CLOSERS = "\"'”’»)\\]*_`」』）】"
_SPACED, _UNSPACED = ".!?…", "。！？｡।॥؟۔"  # the signs that end a sentence before white space, and anywhere
# A sign stands first and is looked back at, as only then the text between two signs is skipped quickly. The group is
# the white space behind.
_END = re.compile(
    rf"[{_SPACED}{_UNSPACED}\n](?:(?<=\n)|(?<=[{_UNSPACED}])[{_UNSPACED}]*+[{_CLOSERS}]*+"
    rf"|(?<=[{_SPACED}])(?<![{_SPACED}]{{2}})[{_SPACED}]*+[{_CLOSERS}]*+(?=\s))(?=(\s*))"
)
_MARGIN = re.compile(r"[\s>]*")
_WORD = re.compile(r"[^\W_]")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LOOK_BACK = 40


class Unit(NamedTuple):
    """A piece of a text, from its first character to behind its last, white space included."""

    start: int
    end: int
    kind: Kind

    def of(self, text: str) -> str:
        """The unit's words in the text it was found in, without the white space around them."""
        return text[self.start : self.end].strip()


def units(text: str) -> Iterator[Unit]:
    """Every unit of the text, in order; none of an empty text. Only what is asked for is cut."""
    return (unit for block in blocks(text) for unit in parts(text, block))


def parts(text: str, block: Block) -> Iterator[Unit]:
    """The units of one of the text's blocks."""
    short_item = block.kind is Kind.ITEM and block.end - block.start <= WHOLE_ITEM
    if short_item or block.kind in (Kind.CODE, Kind.TABLE):
        yield Unit(block.start, block.end, block.kind)
        return
    start = block.start
    for end in _ends(text, block):
        while end - start > LONGEST:
            cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST) + 1 or start + LONGEST
            yield Unit(start, cut, block.kind)
            start = cut
        yield Unit(start, end, block.kind)
        start = end


def _ends(text: str, block: Block) -> Iterator[int]:
    """Behind each sentence of a block and the white space that follows it; a sentence holds a word."""
    start = seen = block.start
    for match in _END.finditer(text, block.start, block.end):
        end = match.end(1)
        if end >= block.end:
            break
        if end <= start:
            continue
        word = _WORD.search(text, seen, end)
        seen = word.start() if word else end
        if word and _ends_sentence(text, start, match, end):
            yield end
            start = seen = end
    yield block.end


def _past_margin(text: str, at: int) -> int:
    match = _MARGIN.match(text, at, at + _LOOK_BACK)
    return match.end() if match else at


def _ends_sentence(text: str, start: int, match: re.Match[str], following: int) -> bool:
    """Whether a sentence that began at ``start`` ends with this sign; ``following`` is where the next would begin."""
    sign, then = match[0], text[following]
    if sign == "\n":
        line = max(text.rfind("\n", start, match.start()) + 1, start)
        then = text[min(_past_margin(text, following), len(text) - 1)]
        return match.start() - line < WRAPPED or not then.islower()
    if sign == ".":
        return not _abbreviated(text, start, match.start(), following)
    if sign[0] in ".…" or len(sign.rstrip(_CLOSERS)) < len(sign):
        return not then.islower()
    return True


def _abbreviated(text: str, start: int, dot: int, following: int) -> bool:
    """Whether a dot belongs to the word before it."""
    words = text[max(start, dot - _LOOK_BACK) : dot].split()
    word = words[-1].lstrip("([{\"'“‘«*_") if words else ""
    small, then = word.lower(), text[following]
    if small in ALWAYS or (small in BEFORE_NUMBERS and then.isdigit()):
        return True
    if small in BEFORE_SMALL or _INITIALS.fullmatch(word):
        return not then.isupper()
    if len(word) == 1 and word.isupper() and word != "I":
        return len(words) < 2 or words[-2][0].isupper()  # J. Smith, but not "plan B."
    return word.isdigit() and len(word) <= 2 and text.startswith(MONTHS, following)
