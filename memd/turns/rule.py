"""A rule of redaction: what one kind of secret looks like, and the cheap sign without which it cannot be there.

A rule holds to three things. Its pattern is tried only where one of its literals stands in the text. A run of the
secret's characters can begin only where such a run begins, so that hostile input costs linear time. And the run has
no upper bound: the whole secret goes, never part of it. The group ``secret``, else the whole match, is taken out.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass

ALNUM = "A-Za-z0-9"
HEX = "0-9a-f"
WORD = "A-Za-z0-9_-"

# What may stand before a secret and only looks like part of it: an escape (\n, %3D), a colour code.
_ESCAPES = (r"\\[nrt]", r"%[0-9A-F]{2}", r"\[[0-9]m", r"\[[0-9]{2}m")
FREE = rf"(?:(?<![{WORD}])|" + "|".join(f"(?<={escape})" for escape in _ESCAPES) + ")"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: ``literals`` of which one must be in the text, the pattern, a last look at what it found."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], object] | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Rules behind one common sign, so that clean text pays for the sign alone.

    Signs begin with one literal character, which the search skips to at memory speed. ``reach`` is how far from a
    sign the rules' literals can stand; 0 is anywhere.
    """

    sign: re.Pattern[str]
    rules: tuple[Rule, ...]
    reach: int = 0


def starts(prefix: str, run: str = WORD) -> str:
    """A pattern for a prefix that is not the middle of a longer run."""
    before = "|".join(f"(?<={escape}{prefix})" for escape in _ESCAPES)
    return f"{prefix}(?:(?<![{run}]{prefix})|{before})"


def token(kind: str, prefixes: str, least: int, run: str = WORD) -> Rule:
    """Any of the prefixes and a run of at least so many characters."""
    literals = tuple(prefixes.split())
    pattern = "|".join(rf"{starts(re.escape(prefix))}[{run}]{{{least},}}+" for prefix in literals)
    return Rule(kind, literals, re.compile(pattern))


def shape(kind: str, literals: str, pattern: str, accepts: Callable[[str], object] | None = None) -> Rule:
    """A pattern of its own; the literals are words of a line."""
    return Rule(kind, tuple(literals.split()), re.compile(pattern, re.ASCII), accepts)


def has_digits(secret: str) -> bool:
    """True for two digits or more."""
    return sum(map(str.isdigit, secret)) >= 2


def is_mixed(secret: str) -> bool:
    """True where digits and capitals both occur, as they do in what was drawn and seldom in what was named."""
    return any(map(str.isdigit, secret)) and any(map(str.isupper, secret))


def is_basic(secret: str) -> bool:
    """True for base64 of ``user:password``."""
    try:
        return b":" in b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except binascii.Error:
        return False
