"""One setting written into TOML text: every other line, comment and blank stays as its owner left it.

This knows the plain way to write settings, a header and one ``name = value`` a line. Whether the text that comes out
is still the TOML that was meant is for the caller to check.
"""

from __future__ import annotations

import json
import re

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_TEXT = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_VALUE = (
    rf"""(?:{_TEXT}|\[(?:{_TEXT}|[^]\["'#])*+\]|[^\n#"'\[]*?)"""  # a list with comments in it is left alone
)


def with_value(text: str, section: str, name: str, value: object) -> str:
    """The text with ``[section] name = value`` in it; a comment behind an old value stays."""
    entry = f"{name} = {_written(value)}"
    span = _body(text, section)
    if span is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{section}]\n{entry}\n"
    start, end = span
    standing = _entry(name).search(text, start, end)
    if standing is None:
        head = text[:start]
        return f"{head}{'' if head.endswith(chr(10)) else chr(10)}{entry}\n{text[start:]}"
    indent, comment = standing["indent"], standing["comment"]
    return f"{text[: standing.start()]}{indent}{entry}{comment}{text[standing.end() :]}"


def line_of(text: str, section: str, name: str | None = None) -> int | None:
    """The line, from 1, where a section or one of its settings begins; None where it is written some other way."""
    span = _body(text, section) if name else None
    if name and span:
        found = re.compile(rf"^[ \t]*{_quoted(name)}[ \t]*=", re.MULTILINE).search(text, *span)
    else:
        found = re.compile(rf"^[ \t]*(?:\[[ \t]*)?{_quoted(section)}[ \t]*[\].=]", re.MULTILINE).search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _body(text: str, section: str) -> tuple[int, int] | None:
    """From where to where the lines below ``[section]`` go; None where there is no such header."""
    header = re.search(rf"^[ \t]*\[[ \t]*{_quoted(section)}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if header is None:
        return None
    following = _HEADER.search(text, header.end())
    return header.end(), following.start() if following else len(text)


def _entry(name: str) -> re.Pattern[str]:
    indent, comment = r"^(?P<indent>[ \t]*)", r"(?P<comment>[ \t]*(?:#[^\n]*)?)$"
    return re.compile(rf"{indent}{_quoted(name)}[ \t]*=[ \t]*{_VALUE}{comment}", re.MULTILINE)


def _quoted(name: str) -> str:
    return rf"[\"']?{re.escape(name)}[\"']?"


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else json.dumps(str(value), ensure_ascii=False)
