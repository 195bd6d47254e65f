"""The curated file, as text in and text out: what an operation makes of it, and the way back.

What hands wrote there stays as it is: an operation touches the lines of its own statements alone, and one whose
statement is not there any more is a conflict. A patch holds the lines that went and came, so that it can be taken back
after other lines have changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

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
    """Lines that went and lines that came, at which place, and between which lines (None: the edge of the file)."""

    at: int
    behind: str | None
    ahead: str | None
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


def placed(text: str, change: ReflectionOp) -> ReflectionOp:
    """The operation, what it takes away as the file says it. Conflict where the file does not, or says the new so."""
    found = [_found(text, said).text for said in op.before(change)]
    new = op.after(change)
    if new is not None and (there := statements.find(text, new)) and there.text not in found[1:]:
        raise Conflict("MEMORY.md says so already")
    made = op.made(op.name(change), found, new or "", change.entries)
    assert not isinstance(made, str), made
    return made


def count(text: str) -> int:
    """How many lines it has."""
    return len(statements.lines(text))


def patch(before: str, after: str) -> Patch:
    """What leads from one text to the other."""
    old, new = statements.lines(before), statements.lines(after)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        Hunk(start, _line(old, start - 1), _line(old, end), old[start:end], new[at:upto])
        for tag, start, end, at, upto in codes
        if tag != "equal"
    ]


def applied(text: str, changes: Patch) -> str:
    """The text with a patch applied, wherever its lines stand now, or as it is where it has that already.

    Conflict where they are gone.
    """
    lines = statements.lines(text)
    if all(_is_done(lines, hunk) for hunk in changes):
        return text
    shift = 0
    for hunk in changes:
        at = _place(lines, hunk, hunk.at + shift)
        lines[at : at + len(hunk.removed)] = hunk.added
        shift = at - hunk.at + len(hunk.added) - len(hunk.removed)
    return "".join(lines)


def taken_back(text: str, changes: Patch) -> str:
    """The text without a patch, as ``applied``."""
    shift, back = 0, list[Hunk]()
    for hunk in changes:
        back.append(Hunk(hunk.at + shift, hunk.behind, hunk.ahead, hunk.added, hunk.removed))
        shift += len(hunk.added) - len(hunk.removed)
    return applied(text, back)


def to_record(changes: Patch) -> list[Mapping[str, object]]:
    """A patch as JSON has it."""
    return [asdict(hunk) for hunk in changes]


def from_record(record: Iterable[Mapping[str, Any]]) -> Patch:
    """The patch that it was."""
    return [Hunk(**hunk) for hunk in record]


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


def _is_done(lines: Sequence[str], hunk: Hunk) -> bool:
    """Whether what it brings stands there, and what it takes away does not."""
    is_there = not hunk.added or bool(_places(lines, hunk.added))
    return is_there and not (hunk.removed and _places(lines, hunk.removed))


def _place(lines: Sequence[str], hunk: Hunk, at: int) -> int:
    """Where a hunk applies: where its lines stand, between those that it knows, as near to its place as can be.

    One that only brings lines needs one of its neighbours.
    """
    known = {place: _neighbours(lines, place, hunk) for place in _places(lines, hunk.removed)}
    if not known or not (hunk.removed or max(known.values())):
        raise Conflict("the lines of MEMORY.md that this is about have changed since")
    return min(known, key=lambda place: (-known[place], abs(place - at)))


def _places(lines: Sequence[str], some: Sequence[str]) -> list[int]:
    """Where some lines stand, one behind the other."""
    last = len(lines) - len(some)
    return [place for place in range(last + 1) if list(lines[place : place + len(some)]) == list(some)]


def _neighbours(lines: Sequence[str], place: int, hunk: Hunk) -> int:
    """How many of the lines around it are those that the hunk knows."""
    behind, ahead = _line(lines, place - 1), _line(lines, place + len(hunk.removed))
    return (behind == hunk.behind) + (ahead == hunk.ahead)


def _line(lines: Sequence[str], place: int) -> str | None:
    return lines[place] if 0 <= place < len(lines) else None
