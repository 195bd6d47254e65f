"""A rule of redaction: what one kind of secret looks like, and the cheap sign without which it cannot be there.

A rule holds to three things. Its pattern is tried only where one of its literals stands in the text. A run of the
secret's characters can begin only where such a run begins, so that hostile input costs linear time. And the run has
no upper bound: the whole secret goes, never part of it. The group ``secret``, else the whole match, is taken out.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ALNUM = "A-Za-z0-9"
HEX = "0-9a-f"
WORD = "A-Za-z0-9_-"

# What may stand before a secret and only looks like part of it: an escape (\n, %3D), a colour code.
_ESCAPES = (r"\\[nrt]", r"%[0-9A-F]{2}", r"\[[0-9]m", r"\[[0-9]{2}m")


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

    ``needs`` is a rare character without which there is no sign: to find one costs a tenth of the plainest search.
    ``reach`` is how far from a sign the rules' literals can stand; 0 is anywhere.
    """

    needs: str
    sign: re.Pattern[str]
    rules: tuple[Rule, ...]
    literals: tuple[str, ...]
    reach: int

    @classmethod
    def of(cls, needs: str, sign: str, *rules: Rule, reach: int = 0) -> Family:
        """A family of these rules."""
        literals = {literal for rule in rules for literal in rule.literals}
        return cls(needs, re.compile(sign, re.ASCII), rules, tuple(sorted(literals)), reach)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where its secrets stand, and of what kind they are, in a text that has the sign."""
        near = self._near(text) if self.reach else text
        there = {literal for literal in self.literals if literal in near}
        for rule in self.rules:
            if there.isdisjoint(rule.literals):
                continue
            for match in rule.pattern.finditer(text):
                group = "secret" if "secret" in rule.pattern.groupindex else 0
                if rule.accepts is None or rule.accepts(match[group]):
                    yield *match.span(group), rule.kind

    def _near(self, text: str) -> str:
        """What stands around the signs: the only place where the literals need be sought."""
        reach = self.reach
        pieces, left = [], len(text)
        for sign in self.sign.finditer(text):
            pieces.append(text[max(0, sign.start() - reach) : sign.end() + reach])
            left -= 2 * reach
            if left < 0:
                return text  # so dense that the whole is the shorter
        return "\n".join(pieces)


def starts(prefix: str, run: str = WORD) -> str:
    """A pattern for a prefix that is not the middle of a longer run."""
    before = "|".join(f"(?<={escape}{prefix})" for escape in _ESCAPES)
    return f"{prefix}(?:(?<![{run}]{prefix})|{before})"


def token(kind: str, prefixes: str, least: int, run: str = WORD) -> Rule:
    """Any of the prefixes and a run of at least so many characters."""
    literals = tuple(prefixes.split())
    body = f"[{run}]{{{least},}}+"
    if "." in run:  # a dot within belongs to it, the full stop after it does not
        part = run.replace(".", "")
        body = rf"[{part}]{{{least},}}+(?:\.[{part}]++)*+"
    return Rule(kind, literals, re.compile("|".join(starts(re.escape(prefix)) + body for prefix in literals)))


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
