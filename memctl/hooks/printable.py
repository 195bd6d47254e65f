"""What a hook may print, whatever memd says: one line, an object of texts that add context or give notice.

The rule: no field that decides anything. That much of JSON is read by hand: ``_json`` is the C half of ``json``, whose
Python half is not worth its import.
"""

from __future__ import annotations

from _json import scanstring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields = Mapping[str, "Fields"]  # by name; a text has none

_TEXT: Fields = {}
_ALLOWED: Fields = {
    "systemMessage": _TEXT,
    "hookSpecificOutput": {"hookEventName": _TEXT, "additionalContext": _TEXT},
}


def is_printable(output: str) -> bool:
    """Whether all of it is one such object, in printable ASCII alone."""
    line = output.removesuffix("\n")
    try:
        return line.isascii() and line.isprintable() and _object(line, 0, _ALLOWED) == len(line)
    except (ValueError, LookupError):
        return False


def _object(line: str, at: int, allowed: Fields) -> int:
    """Where the object that starts at a place ends; ValueError or LookupError where it is none that is allowed."""
    at = _past("{", line, at)
    while True:
        name, at = scanstring(line, _past('"', line, at))
        within, at = allowed[name], _past(":", line, at)
        at = _object(line, at, within) if within else scanstring(line, _past('"', line, at))[1]
        if line[at:].lstrip(" ")[:1] == "}":
            return _past("}", line, at)
        at = _past(",", line, at)


def _past(sign: str, line: str, at: int) -> int:
    """The place behind the sign, and the spaces before it."""
    while line[at] == " ":
        at += 1
    if line[at] != sign:
        raise ValueError(at)
    return at + 1
