"""Text from the store or from outside, made safe to print (R13): what could act on a terminal, or hide, is spelled out.

Newline and tab stay. ``\\x1b`` stands for a control character, ``<U+202E>`` for one that turns, hides or breaks text.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_TURNERS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# What Unicode has no terminal show (Default_Ignorable_Code_Point), without the joiners and the selectors of a variant:
# scripts and emoji are written with these.
_HIDERS = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BREAKERS = "\u2028\u2029"
_SURROGATES = "\ud800-\udfff"
_ACTING = re.compile(f"[{_CONTROLS}{_TURNERS}{_HIDERS}{_BREAKERS}{_SURROGATES}]")


def visible(text: str) -> str:
    """The text with every character that a terminal would obey, or not show, written out in ASCII."""
    return _ACTING.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0xA0 else f"<U+{code:04X}>"
