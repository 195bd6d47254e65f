"""The statements of the curated file: its list items and paragraphs, each with the lines that it takes.

Headings, code, tables and comments are none: they are whoever's hand wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
ITEM = re.compile(r"(?P<mark>\s*(?:[-*+]|\d{1,9}[.)])\s+)(?P<rest>\S.*?)\s*", re.DOTALL)
_NO_STATEMENT = re.compile(r"\s*(?:#|\||<!--|[-*_=](?:\s*[-*_=]){2,}\s*$|$)")
_FENCE = re.compile(r"\s*(```|~~~)")
_MARKS = re.compile(r"[*_`\"'“”‘’]")


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said, in one line, and where: from its first line to behind its last. ``mark`` begins it."""

    text: str
    start: int
    end: int
    mark: str = ""


def lines(text: str) -> list[str]:
    """The lines, each with its end."""
    return _LINE.findall(text)


def listing(text: str) -> list[Statement]:
    """Every statement, in order."""
    found: list[Statement] = []
    is_open, in_code = False, False
    for number, line in enumerate(lines(text)):
        fence = _FENCE.match(line) is not None
        if fence or in_code or _NO_STATEMENT.match(line):
            in_code ^= fence
            is_open = False
        elif item := ITEM.fullmatch(line):
            found.append(Statement(item["rest"], number, number + 1, item["mark"]))
            is_open = True
        elif is_open and (line[:1].isspace() or not found[-1].mark):
            last = found[-1]
            found[-1] = Statement(f"{last.text} {line.strip()}", last.start, number + 1, last.mark)
        else:
            found.append(Statement(line.strip(), number, number + 1))
            is_open = True
    return found


def find(text: str, said: str) -> Statement | None:
    """The statement that is meant: in these words, else in them but for case, marks and a full stop."""
    there = listing(text)
    meant = plain(said)
    exact = (one for one in there if one.text == said.strip())
    alike = (one for one in there if meant and plain(one.text) == meant)
    return next(exact, None) or next(alike, None)


def plain(said: str) -> str:
    """A statement as it is compared."""
    item = ITEM.fullmatch(said.strip())
    words = _MARKS.sub("", item["rest"] if item else said).casefold().split()
    return " ".join(words).rstrip(".!;, ")


def texts(text: str) -> Sequence[str]:
    """What every statement says."""
    return [one.text for one in listing(text)]
