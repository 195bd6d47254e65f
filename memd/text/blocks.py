"""The blocks of a text as Markdown has them: paragraphs, list items, headings, quotes, code and tables.

Blocks cover the text without a gap: the blank lines behind a block are part of it, those before the first one too.
One pass over the lines, so the cost grows with the length of the text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a block is."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"


class Block(NamedTuple):
    """A block, from its first character to behind its last."""

    start: int
    end: int
    kind: Kind


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEAD = re.compile(
    r"[ \t]*(?:(?P<code>`{3,}+(?=[^`]*$)|~{3,}+)|(?P<heading>#{1,6}[ \t])|(?P<quote>>)"
    r"|(?P<item>(?:[-*+•]|\d{1,9}[.)])[ \t]))"
)
_INDENT = re.compile(r" {4}| {0,3}\t")
_RULE = re.compile(r"[ \t|:-]*-[ \t|:-]*\r?\n?")  # the line between a table's head and its rows


def blocks(text: str) -> Iterator[Block]:
    """Every block of the text, in order; none of an empty text."""
    lines = _LINE.findall(text)
    at = _past_blank(lines, 0)
    start, offset = 0, _length(lines[:at])
    in_list = False
    if at == len(lines) and text:
        yield Block(0, len(text), Kind.PROSE)
    while at < len(lines):
        indented = _INDENT.match(lines[at]) is not None
        after_gap = not at or not lines[at - 1].strip()
        kind = Kind.CODE if indented and after_gap and not in_list else _kind(lines, at)
        past = _past_blank(lines, _end(lines, at, kind))
        offset += _length(lines[at:past])
        yield Block(start, offset, kind)
        in_list = kind is Kind.ITEM or (in_list and indented)
        start, at = offset, past


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines))


def _past_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _kind(lines: Sequence[str], at: int) -> Kind:
    """What begins at a line, an indented block of code left aside."""
    if head := _HEAD.match(lines[at]):
        return Kind(str(head.lastgroup))
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if "|" in lines[at] and "|" in following and _RULE.fullmatch(following):
        return Kind.TABLE
    return Kind.PROSE


def _end(lines: Sequence[str], at: int, kind: Kind) -> int:
    """The line behind the block that begins at a line."""
    past = at + 1
    match kind:
        case Kind.HEADING:
            return past
        case Kind.CODE:
            return _code_end(lines, at)
        case Kind.TABLE:
            while past < len(lines) and "|" in lines[past]:
                past += 1
        case Kind.QUOTE:
            while past < len(lines) and lines[past].lstrip().startswith(">"):
                past += 1
        case _:
            while past < len(lines) and lines[past].strip() and _kind(lines, past) is Kind.PROSE:
                past += 1
    return past


def _code_end(lines: Sequence[str], at: int) -> int:
    """Behind the fence that closes the one at this line, or behind the last indented line; a fence may stay open."""
    past = at + 1
    head = _HEAD.match(lines[at])
    if head and (fence := head["code"]):
        while past < len(lines) and not _closes(lines[past].strip(), fence):
            past += 1
        return min(past + 1, len(lines))
    while past < len(lines) and (_INDENT.match(lines[past]) or not lines[past].strip()):
        past += 1
    return past


def _closes(line: str, fence: str) -> bool:
    return len(line) >= len(fence) and line == fence[0] * len(line)
