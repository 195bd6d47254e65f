"""A plan for people: what each file would be, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from memctl.output import line
from memctl.setup.plan import Change, Plan

_WIDEST = 200  # characters of a line; a settings file may be one line of megabytes
_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def described(plan: Plan, *, color: bool) -> str:
    """Every change as a unified diff, and the notes."""
    lines = [text for change in plan.changes for text in _shortly(change) or diff(change)]
    lines = [_colored(text) for text in lines] if color else lines
    return "".join(f"{text}\n" for text in [*lines, *(line(note) for note in plan.notes)])


def diff(change: Change) -> Iterator[str]:
    """The lines of a unified diff, safe to print."""
    old, new = (_lines(content) for content in (change.before, change.after))
    since, to = (
        change.path if content is not None else "/dev/null" for content in (change.before, change.after)
    )
    for text in unified_diff(old, new, since, to, n=2, lineterm=""):
        yield line(text, _WIDEST)


def _shortly(change: Change) -> list[str]:
    """A text that comes or goes whole is not for reading here."""
    what = "new file" if change.before is None else "remove" if change.after is None else ""
    text = change.after or change.before or b""
    return (
        [line(f"{what} {change.path}, {len(text.splitlines())} lines")]
        if what and change.path.endswith(".md")
        else []
    )


def record(change: Change) -> dict[str, object]:
    """The change for JSON."""
    what = "create" if change.before is None else "remove" if change.after is None else "change"
    return {"path": change.path, "what": what, "diff": list(diff(change))}


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()


def _colored(text: str) -> str:
    on = _COLORS.get(text[:1], "")
    return f"{on}{text}\x1b[0m" if on else text
