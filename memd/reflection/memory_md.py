"""The curated file, as text in and text out: what an operation makes of it, and the way back.

What hands wrote there stays as it is: an operation touches the lines of its own statements alone, and one whose
statement is not there any more is a conflict. A patch holds the lines that went and came, so that it can be taken back
after other lines have changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from memd.errors import BadRequest
from memd.reflection import op, statements
from memd.reflection.op import ReflectionOp
from memd.text.neutral import neutral

MOST_LINES = 150
BEGINNING = "# Memory\n\n"

# In such a file, @path brings in another file. Within backticks it does not.
_INCLUDE = re.compile(r"(?<![\w`@])@[\w~./-]+")


class Conflict(BadRequest):
    """The curated file does not allow it as it is now."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that went and lines that came, behind which line (None: at the beginning), and at which place."""

    at: int
    behind: str | None
    removed: Sequence[str]
    added: Sequence[str]


Patch = Sequence[Hunk]


def edited(text: str, change: ReflectionOp) -> str:
    """The text with an operation done. Conflict where its statement is not there, or the file would be too long."""
    gone = [_found(text, said) for said in op.before(change)]
    new = op.after(change)
    if new is not None and not gone and statements.find(text, new):
        raise Conflict("MEMORY.md says so already")
    lines = statements.lines(text)
    if new is not None:
        new = harmless(new)
        if not gone:
            return _checked(text, _appended(text, new))
        lines[gone[0].start] = f"{gone[0].mark}{new}{_ending(lines[gone[0].start], text)}"
        gone = [statements.Statement("", gone[0].start + 1, gone[0].end), *gone[1:]]
    dropped = {number for one in gone for number in range(one.start, one.end)}
    return _checked(text, "".join(line for number, line in enumerate(lines) if number not in dropped))


def harmless(said: str) -> str:
    """A statement that neither acts on a model nor brings in a file."""
    return _INCLUDE.sub(r"`\g<0>`", neutral(said))


def count(text: str) -> int:
    """How many lines it has."""
    return len(statements.lines(text))


def patch(before: str, after: str) -> Patch:
    """What leads from one text to the other."""
    old, new = statements.lines(before), statements.lines(after)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        Hunk(start, old[start - 1] if start else None, old[start:end], new[at:upto])
        for tag, start, end, at, upto in codes
        if tag != "equal"
    ]


def applied(text: str, changes: Patch) -> str:
    """The text with a patch applied, wherever its lines stand now. Conflict where they are gone."""
    lines = statements.lines(text)
    shift = 0
    for hunk in changes:
        at = _place(lines, hunk.at + shift, hunk.removed, hunk.behind)
        lines[at : at + len(hunk.removed)] = hunk.added
        shift = at - hunk.at + len(hunk.added) - len(hunk.removed)
    return "".join(lines)


def taken_back(text: str, changes: Patch) -> str:
    """The text without a patch. Conflict where the lines that it brought are gone."""
    shift, back = 0, list[Hunk]()
    for hunk in changes:
        back.append(Hunk(hunk.at + shift, hunk.behind, hunk.added, hunk.removed))
        shift += len(hunk.added) - len(hunk.removed)
    return applied(text, back)


def to_record(changes: Patch) -> list[Mapping[str, object]]:
    """A patch as JSON has it."""
    return [asdict(hunk) for hunk in changes]


def _found(text: str, said: str) -> statements.Statement:
    found = statements.find(text, said)
    if found is None:
        raise Conflict("MEMORY.md does not say so any more: its text has changed")
    return found


def _appended(text: str, new: str) -> str:
    """The text with one more item behind the last one there is, else at its end."""
    lines = statements.lines(text or BEGINNING)
    items = [one for one in statements.listing(text) if one.mark]
    end = _ending(lines[0], text)
    if not lines[-1].endswith("\n"):
        lines[-1] += end
    if items:
        mark = items[-1].mark
        lines.insert(items[-1].end, f"{mark if not mark.strip()[0].isdigit() else '- '}{new}{end}")
    else:
        gap = [end] if lines[-1].strip() else []
        lines += [*gap, f"- {new}{end}"]
    return "".join(lines)


def _checked(before: str, after: str) -> str:
    if count(after) > max(MOST_LINES, count(before)):
        raise Conflict(
            f"MEMORY.md has {count(before)} of at most {MOST_LINES} lines: apply a proposal that merges or retires"
            " some first"
        )
    return after


def _ending(line: str, text: str) -> str:
    """How lines end here."""
    if line.endswith("\n"):
        return "\r\n" if line.endswith("\r\n") else "\n"
    return "\r\n" if "\r\n" in text else "\n"


def _place(lines: Sequence[str], at: int, gone: Sequence[str], behind: str | None) -> int:
    """Where a hunk applies: at its place, else where its lines stand and nowhere else."""
    if _fits(lines, at, gone, behind):
        return at
    places = [place for place in range(len(lines) + 1) if _fits(lines, place, gone, behind)]
    if not places and gone:
        places = [place for place in range(len(lines)) if list(lines[place : place + len(gone)]) == list(gone)]
    if len(places) != 1:
        raise Conflict("the lines of MEMORY.md that this is about have changed since")
    return places[0]


def _fits(lines: Sequence[str], at: int, gone: Sequence[str], behind: str | None) -> bool:
    if not 0 <= at <= len(lines) or list(lines[at : at + len(gone)]) != list(gone):
        return False
    return (lines[at - 1] if at else None) == behind
