"""Markdown in sections: each heading with what stands below it, in pieces of bounded size; code blocks stay whole.

Nothing of the text is lost: the pieces, one behind the other, are the text again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST = 2_000
MOST_CODE = 8_000
BETWEEN = " › "

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)


class Section(NamedTuple):
    """A piece of a text, and the headings above it, outermost first, as one line."""

    heading: str
    content: str


class _Block(NamedTuple):
    """Lines that belong together. ``level`` is that of a heading, 0 of anything else; ``code`` of a fenced block."""

    text: str
    level: int = 0
    title: str = ""
    code: bool = False


def sections(text: str) -> list[Section]:
    """The sections of a text; none of one that is blank. Headings that nothing stands below go with what follows."""
    done: list[Section] = []
    trail: list[tuple[int, str]] = []
    piece, has_body = "", False
    for block in _blocks(text):
        for part in _bounded(block):
            if has_body and (block.level or len(piece) + len(part) > MOST):
                done.append(Section(_said(trail), piece))
                piece, has_body = "", False
            piece, has_body = piece + part, has_body or not (block.level or part.isspace())
        if block.level:
            trail = [one for one in trail if one[0] < block.level] + [(block.level, block.title)]
    return done + ([Section(_said(trail), piece)] if piece.strip() else [])


def _said(trail: list[tuple[int, str]]) -> str:
    return BETWEEN.join(title for _, title in trail if title)


def _blocks(text: str) -> Iterator[_Block]:
    """Headings, fenced blocks and paragraphs, each with the blank lines behind it."""
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        start, heading, fence = at, _HEADING.fullmatch(lines[at]), _FENCE.match(lines[at])
        at = _end_of_fence(lines, at, fence[1]) if fence else at + 1
        if not heading and not fence:
            while at < len(lines) and not _is_edge(lines, at):
                at += 1
        while at < len(lines) and lines[at].isspace():
            at += 1
        whole = "".join(lines[start:at])
        level, title = (len(heading[1]), heading[2] or "") if heading else (0, "")
        yield _Block(whole, level, title, code=bool(fence))


def _is_edge(lines: list[str], at: int) -> bool:
    return bool(lines[at].isspace() or _HEADING.fullmatch(lines[at]) or _FENCE.match(lines[at]))


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    """The line behind a fenced block; an open one ends with the text."""
    for at in range(start + 1, len(lines)):
        closing = _FENCE.match(lines[at])
        if closing and closing[1].startswith(fence) and not closing[2].strip():
            return at + 1
    return len(lines)


def _bounded(block: _Block) -> Iterator[str]:
    """The block, cut between lines where it is too long, and within a line that is."""
    if len(block.text) <= (MOST_CODE if block.code else MOST):
        yield block.text
        return
    part = ""
    for line in block.text.splitlines(keepends=True):
        for start in range(0, len(line), MOST):
            if part and len(part) + len(line[start : start + MOST]) > MOST:
                yield part
                part = ""
            part += line[start : start + MOST]
    yield part
