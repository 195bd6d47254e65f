"""What a method may be asked: a schema of fields, and the checked parameters it gives.

    SEARCH = {"query": text(), "limit": integer(1, 100, default=10), "project": text(optional=True)}

The rule: a handler never sees a value of another type or size than its schema says, and whoever asked wrongly
is told what is allowed. A field has a default, or is optional (then nil is as good as leaving it out), or is
required.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from memd.errors import BadRequest, TooLarge

QUERY_BYTES = 4 << 10
TEXT_BYTES = 64 << 10
_WHOLE = 2**63  # what SQLite holds
_T = TypeVar("_T")
_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    bytes: "bytes",
    list: "a list",
    dict: "a map",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter: how its value is checked, and what stands in for it when it is left out."""

    check: Callable[[str, object], object]
    default: object = None
    required: bool = False


Schema = Mapping[str, Field]

NONE: Schema = {}


def text(
    *, most: int = QUERY_BYTES, blank: bool = False, default: str | None = None, optional: bool = False
) -> Field:
    """A text of at most so many bytes; one of white space alone only where ``blank`` says so."""

    def check(name: str, value: object) -> str:
        if not isinstance(value, str):
            raise _wrong(name, "a text", value)
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise BadRequest(f"{name} holds half a surrogate pair, which is no text") from None
        if size > most:
            raise TooLarge(f"{name} is {size} bytes; at most {most} are allowed")
        if "\0" in value:
            raise BadRequest(f"{name} holds a NUL character")
        if not blank and not value.strip():
            raise BadRequest(f"{name} is empty")
        return value

    return _field(check, default, optional)


def integer(
    lo: int = -_WHOLE, hi: int = _WHOLE - 1, *, default: int | None = None, optional: bool = False
) -> Field:
    """A whole number from ``lo`` to ``hi``."""

    def check(name: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _wrong(name, "a whole number", value)
        if not lo <= value <= hi:
            raise BadRequest(f"{name} must be from {lo} to {hi}")
        return value

    return _field(check, default, optional)


def number(lo: float, hi: float, *, default: float | None = None, optional: bool = False) -> Field:
    """A number from ``lo`` to ``hi``."""

    def check(name: str, value: object) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _wrong(name, "a number", value)
        if not lo <= value <= hi:  # which is not so of NaN either
            raise BadRequest(f"{name} must be from {lo:g} to {hi:g}")
        return float(value)

    return _field(check, default, optional)


def flag(*, default: bool = False) -> Field:
    """True or false."""

    def check(name: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise _wrong(name, "true or false", value)
        return value

    return Field(check, default)


def choice(*allowed: str, default: str | None = None, optional: bool = False) -> Field:
    """One of a few words."""

    def check(name: str, value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise BadRequest(f"{name} must be one of {', '.join(allowed)}")
        return value

    return _field(check, default, optional)


def listing(item: Field, *, least: int = 0, most: int = 1000, optional: bool = False) -> Field:
    """A list of such items; an optional one that is left out is an empty list."""

    def check(name: str, value: object) -> tuple[object, ...]:
        if not isinstance(value, list | tuple):
            raise _wrong(name, "a list", value)
        if not least <= len(value) <= most:
            raise BadRequest(f"{name} must hold from {least} to {most} items")
        return tuple(item.check(f"{name}[{place}]", one) for place, one in enumerate(value))

    return Field(check, () if optional else None, required=not optional)


def mapping(*, optional: bool = False) -> Field:
    """A map whose inside the method checks by itself, such as the JSON event of a hook."""

    def check(name: str, value: object) -> dict[str, object]:
        if not isinstance(value, dict):
            raise _wrong(name, "a map", value)
        return value

    return _field(check, None, optional)


def check(schema: Schema, params: Mapping[str, object]) -> Params:
    """The parameters with defaults filled in, or BadRequest that says what is allowed."""
    unknown = params.keys() - schema.keys()
    if unknown:
        allowed = ", ".join(sorted(schema)) or "none"
        raise BadRequest(f"unknown parameter {_shown(min(unknown))}; allowed: {allowed}")
    return Params({name: _value(name, field, params) for name, field in schema.items()})


class Params:
    """Checked parameters, read by name and type. A name or type the schema does not have is a bug of the method."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def given(self, name: str) -> bool:
        """True where a field without a default was given, or a flag is set."""
        return self._values[name] not in (None, False)

    def text(self, name: str) -> str:
        """The text of a required or defaulted field."""
        return self._take(name, str)

    def maybe_text(self, name: str) -> str | None:
        """The text, or None where it was left out."""
        return self._maybe(name, str)

    def integer(self, name: str) -> int:
        """The whole number of a required or defaulted field."""
        return self._take(name, int)

    def maybe_integer(self, name: str) -> int | None:
        """The whole number, or None where it was left out."""
        return self._maybe(name, int)

    def number(self, name: str) -> float:
        """The number of a required or defaulted field."""
        return self._take(name, float)

    def maybe_number(self, name: str) -> float | None:
        """The number, or None where it was left out."""
        return self._maybe(name, float)

    def flag(self, name: str) -> bool:
        """Whether the flag is set."""
        return self._take(name, bool)

    def texts(self, name: str) -> list[str]:
        """The texts of a listing; none where it was left out."""
        values = self._take(name, tuple)
        if not all(isinstance(value, str) for value in values):
            raise TypeError(f"{name} is no listing of texts")
        return list(values)

    def integers(self, name: str) -> list[int]:
        """The whole numbers of a listing; none where it was left out."""
        values = self._take(name, tuple)
        if not all(isinstance(value, int) for value in values):
            raise TypeError(f"{name} is no listing of whole numbers")
        return list(values)

    def mapping(self, name: str) -> dict[str, object]:
        """The map; an empty one where it was left out."""
        return self._maybe(name, dict) or {}

    def _take(self, name: str, kind: type[_T]) -> _T:
        value = self._values[name]
        if not isinstance(value, kind):
            raise TypeError(f"{name} is no {kind.__name__}")
        return value

    def _maybe(self, name: str, kind: type[_T]) -> _T | None:
        return None if self._values[name] is None else self._take(name, kind)


def _field(check: Callable[[str, object], object], default: object, optional: bool) -> Field:
    return Field(check, default, required=default is None and not optional)


def _value(name: str, field: Field, params: Mapping[str, object]) -> object:
    value = params.get(name)
    if value is not None:
        return field.check(name, value)
    if field.required:
        raise BadRequest(f"{name} is missing")
    return field.default


def _wrong(name: str, wanted: str, value: object) -> BadRequest:
    return BadRequest(f"{name} must be {wanted}, not {_KINDS.get(type(value), 'something else')}")


def _shown(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:40] + "…")
