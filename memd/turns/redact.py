"""Redaction: secrets leave a text before it is first written (R12).

A secret is known by its format (``secrets``) or by the name it is given to (``named``). It goes as a whole and leaves
its kind, ``[REDACTED:<kind>]``; the words around it stay. Redacting twice changes nothing more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memd.turns import named, secrets
from memd.turns.secrets import Rule

# Raised with every change of the rules: text stored under a lower version may be redacted anew.
RULES_VERSION = 1

_FAMILIES = (secrets.UNDERSCORE, secrets.HYPHEN, secrets.DOT)
_NOTHING: Mapping[str, int] = MappingProxyType({})
_MARKER = re.compile(r"\[REDACTED:[a-z0-9_]+\]")
_PASSES = 6

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out (empty: it is the same text)."""

    text: str
    counts: Mapping[str, int]


def redact(text: str) -> Redacted:
    """The text with a marker in place of every secret; the same object when there is none."""
    counts: Counter[str] = Counter()
    # Taking one secret out can lay another bare, so look again until nothing more is found.
    for _ in range(_PASSES):
        spans = _joined([*_by_format(text), *named.find(text)])
        spans = [span for span in spans if not _MARKER.search(text, span[0], span[1])]
        if not spans:
            break
        counts.update(kind for _, _, kind in spans)
        text = _marked(text, spans)
    return Redacted(text, counts if counts else _NOTHING)


def _by_format(text: str) -> Iterator[Span]:
    for family in _FAMILIES:
        if family.sign.search(text):
            yield from _matches(family.rules, text)
    yield from _matches(secrets.PLAIN, text)


def _matches(rules: tuple[Rule, ...], text: str) -> Iterator[Span]:
    for rule in rules:
        if not any(literal in text for literal in rule.literals):
            continue
        for match in rule.pattern.finditer(text):
            group = "secret" if "secret" in rule.pattern.groupindex else 0
            if rule.accepts is None or rule.accepts(match[group]):
                yield *match.span(group), rule.kind


def _joined(spans: list[Span]) -> list[Span]:
    """Spans that overlap become one, of the kind found first: formats are listed before names."""
    joined: list[tuple[int, int, int]] = []
    for start, end, order in sorted((start, end, order) for order, (start, end, _) in enumerate(spans)):
        if joined and start < joined[-1][1]:
            first, last, best = joined[-1]
            joined[-1] = (first, max(last, end), min(best, order))
        else:
            joined.append((start, end, order))
    return [(start, end, spans[order][2]) for start, end, order in joined]


def _marked(text: str, spans: list[Span]) -> str:
    pieces, at = [], 0
    for start, end, kind in spans:
        pieces += text[at:start], f"[REDACTED:{kind}]"
        at = end
    return "".join(pieces) + text[at:]
