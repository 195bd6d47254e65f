"""Text from the store or from outside, made safe to print (R13): what could act on a terminal, or hide, is spelled out.

Newline and tab stay. ``\\x1b`` stands for a control character, ``<U+202E>`` for one that turns, hides or breaks text.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_HIDERS = "\u200b\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f"
_SURROGATES = "\ud800-\udfff"
_ACTING = re.compile(f"[{_CONTROLS}{_HIDERS}{_SURROGATES}]")


def visible(text: str) -> str:
    """The text with every character that a terminal would obey, or not show, written out in ASCII."""
    return _ACTING.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"<U+{code:04X}>"
