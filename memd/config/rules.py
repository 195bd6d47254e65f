"""What a setting may be: its rule, and the field that carries it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from memd.text.addresses import is_encoded, scrubbed


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value may be. ``choices`` may end with a colon: then any text behind it is allowed too.

    ``starts``: how a text begins that is not empty, and each text of a list; ``noun`` is what such a text is. What is
    ``secret`` may hold a password, and is never shown with it.
    """

    doc: str
    lo: float | None = None
    hi: float | None = None
    choices: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    noun: str = "a path"
    secret: bool = False

    def allowed(self, kind: type) -> str:
        """The rule in words."""
        if kind is tuple and self.choices:
            return f"a list of any of {', '.join(self.choices)}"
        if self.choices:
            return ", ".join(choice + ("<name>" if choice.endswith(":") else "") for choice in self.choices)
        if kind is bool:
            return "true or false"
        if kind is tuple and not self.starts:
            return "a list of texts"
        if kind is tuple:
            return f"a list of texts, each beginning with {' or '.join(self.starts)}"
        if self.starts:
            encoded = " in which a password has %40 for @, %2F for /, %25 for % and %20 for a space"
            return f"{self.noun} beginning with {' or '.join(self.starts)}{encoded * self.secret}, or nothing"
        return f"{self.lo:g} to {self.hi:g}" if self.lo is not None and self.hi is not None else "a text"

    def takes(self, value: object) -> bool:
        """True where a value of the right type is allowed."""
        if isinstance(value, tuple) and self.choices:
            return all(one in self.choices for one in value)
        if isinstance(value, tuple):
            return all(
                isinstance(text, str) and (not self.starts or text.startswith(self.starts)) for text in value
            )
        if self.starts:
            text = str(value)
            return text == "" or (text.startswith(self.starts) and (not self.secret or is_encoded(text)))
        if self.choices:
            text = str(value)
            return any(
                text == c or (c.endswith(":") and text.startswith(c) and text != c) for c in self.choices
            )
        if isinstance(value, int | float) and not isinstance(value, bool) and self.lo is not None:
            return self.lo <= value <= cast(float, self.hi)
        return True

    def shown(self, value: object) -> object:
        """A value as anybody may see it."""
        if not self.secret:
            return value
        text = value if isinstance(value, str) else repr(value)
        return scrubbed(
            "".join(text.split())
        )  # no password ends at a space that does not belong in an address


def flag(default: bool, doc: str) -> bool:
    return field(default=default, metadata={"rule": Rule(doc)})


def number(default: int, lo: int, hi: int, doc: str) -> int:
    return field(default=default, metadata={"rule": Rule(doc, lo, hi)})


def decimal(default: float, lo: float, hi: float, doc: str) -> float:
    return field(default=default, metadata={"rule": Rule(doc, lo, hi)})


def choice(default: str, choices: tuple[str, ...], doc: str) -> str:
    return field(default=default, metadata={"rule": Rule(doc, choices=choices)})


def file(doc: str) -> str:
    return field(default="", metadata={"rule": Rule(doc, starts=("/", "~/"))})


def name(default: str, doc: str) -> str:
    return field(default=default, metadata={"rule": Rule(doc)})


def address(starts: tuple[str, ...], doc: str) -> str:
    return field(default="", metadata={"rule": Rule(doc, starts=starts, noun="an address", secret=True)})


def names(doc: str) -> tuple[str, ...]:
    return field(default=(), metadata={"rule": Rule(doc)})


def folders(doc: str) -> tuple[str, ...]:
    return field(default=(), metadata={"rule": Rule(doc, starts=("/", "~/"))})


def some(choices: tuple[str, ...], doc: str) -> tuple[str, ...]:
    return field(default=(), metadata={"rule": Rule(doc, choices=choices)})
