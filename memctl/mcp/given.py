"""The arguments of a call, checked against the schema that its tool shows: nothing else reaches memd."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.exits import Usage
from memctl.help import nearest

Given = Mapping[str, object]
Schema = Mapping[str, object]

_KINDS: Mapping[str, type] = {"string": str, "integer": int}


def text(description: str, most: int) -> Schema:
    """A text of so many characters at most."""
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def integer(description: str, lo: int, hi: int) -> Schema:
    """A whole number from ``lo`` to ``hi``."""
    return {"type": "integer", "minimum": lo, "maximum": hi, "description": description}


def choice(description: str, allowed: tuple[str, ...]) -> Schema:
    """One of a few words."""
    return {"type": "string", "enum": list(allowed), "description": description}


def closed(properties: Mapping[str, Schema], required: tuple[str, ...]) -> dict[str, object]:
    """The schema of an object that has these and nothing else."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def check(given: Given, properties: Mapping[str, Schema], required: tuple[str, ...]) -> None:
    """Usage where the arguments are not what the schema says."""
    for name in given:
        if name not in properties:
            raise Usage(
                f"there is no argument {name!r}{nearest(name, properties)}; there are {', '.join(properties)}"
            )
    for name in required:
        if name not in given:
            raise Usage(f"the argument {name} is missing")
    for name, value in given.items():
        _check(name, value, properties[name])


def _check(name: str, value: object, schema: Schema) -> None:
    kind = str(schema["type"])
    if not isinstance(value, _KINDS[kind]) or isinstance(value, bool):
        raise Usage(f"{name} must be of type {kind}")
    allowed, lo, hi, most = (schema.get(word) for word in ("enum", "minimum", "maximum", "maxLength"))
    if isinstance(allowed, list) and value not in allowed:
        raise Usage(f"{name} must be one of {', '.join(allowed)}")
    if isinstance(value, int) and isinstance(lo, int) and isinstance(hi, int) and not lo <= value <= hi:
        raise Usage(f"{name} must be from {lo} to {hi}")
    if isinstance(value, str) and isinstance(most, int) and not 0 < len(value.strip()) <= len(value) <= most:
        raise Usage(f"{name} must hold from 1 to {most} characters")
