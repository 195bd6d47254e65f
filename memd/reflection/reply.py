"""A model's reply to a reflection, read: by its schema, as JSON that stands in a text, or by the line grammar.

Nothing of its shape is certain. What can be meant is taken, what cannot is dropped and told; what is prose and nothing
else is no reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memd.reflection import grammar, op
from memd.reflection.op import Dropped, Found, Insight, ReflectionOp
from memd.text import answers

T = TypeVar("T")

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["insights", "operations"],
    "properties": {
        "insights": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "entries"],
                "properties": {
                    "text": {"type": "string"},
                    "entries": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
        "operations": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["op", "old", "new", "entries"],
                "properties": {
                    "op": {"type": "string", "enum": ["add", "rewrite", "merge", "retire"]},
                    "old": {"type": "array", "items": {"type": "string"}},
                    "new": {"type": "string"},
                    "entries": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}

MOST_CHARS = 1_000_000  # of a reply: what is longer is none
MOST_STATEMENT = 2_000
MOST_ITEMS = 100

_NAMES = {"update": "add"}
_UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # but the end of a line
_SPACE = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reply is none: nothing of it is taken."""

    why: str


def read(data: object, text: str, known: Collection[str] = ()) -> Found | Unreadable:
    """What a reply holds: its structured ``data``, where there is any, else its text.

    ``known`` are the statements of the curated file.
    """
    if len(text) > MOST_CHARS:
        return Unreadable(f"the language model's answer is {len(text)} characters long")
    for value in (data, *answers.values(text)):
        if isinstance(value, Mapping) and any(
            _has(value, name) for name in ("insights", "operations", "ops")
        ):
            return _structured(value)
    if grammar.is_marked(text):
        plain = _UNSEEN.sub(" ", text.encode("utf-8", "replace").decode())
        return _bounded(grammar.read(plain, known))
    if answers.is_nothing(text):
        return Found()
    return Unreadable(
        "the language model gave no answer"
        if not text.strip()
        else "the language model answered with prose, or with JSON that was cut"
    )


def _has(value: Mapping[object, object], name: str) -> bool:
    return isinstance(value.get(name), list) or (name in value and value[name] is None)


def _structured(value: Mapping[object, object]) -> Found:
    dropped: list[Dropped] = []
    insights: list[Insight] = _taken(value.get("insights"), _insight, dropped)
    ops: list[ReflectionOp] = _taken(value.get("operations", value.get("ops")), _op, dropped)
    return _bounded(Found(insights, ops, dropped))


def _taken(items: object, take: Callable[[object], T | str], dropped: list[Dropped]) -> list[T]:
    found: list[T] = []
    for item in items if isinstance(items, list) else ():
        one = take(item)
        if isinstance(one, str):
            dropped.append(Dropped(_shown(item), one))
        else:
            found.append(one)
    return found


def _insight(item: object) -> Insight | str:
    fields = item if isinstance(item, Mapping) else {"text": item}
    text = _statement(fields.get("text", fields.get("content")))
    return Insight(text, _ids(fields.get("entries"))) if text else "it says nothing"


def _op(item: object) -> ReflectionOp | str:
    if not isinstance(item, Mapping):
        return "it is no operation"
    said = item.get("op")
    kind = said.strip().lower().removeprefix("memory_") if isinstance(said, str) else ""
    old = item.get("old")
    lines = [_statement(one) for one in (old if isinstance(old, list) else [old])]
    entries = _ids(item.get("entries", item.get("entry_ids")))
    return op.made(_NAMES.get(kind, kind), tuple(filter(None, lines)), _statement(item.get("new")), entries)


def _statement(value: object) -> str:
    """A text as one line, without what no text may hold; empty where it is none."""
    return _one_line(value) if isinstance(value, str) else ""


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text.encode("utf-8", "replace").decode()).strip()


def _ids(value: object) -> Sequence[int]:
    parts = value if isinstance(value, list) else [value]
    found = " ".join(str(one) for one in parts if isinstance(one, str) or _is_id(one))
    return grammar.ids(found)


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**18


def _bounded(found: Found) -> Found:
    """The same with no statement of signs alone or longer than one is, and no more than anybody looks through."""
    dropped = list(found.dropped)
    insights = _short(found.insights, lambda one: [one.text], dropped)
    ops = _short(found.ops, lambda one: [*op.before(one), op.after(one) or ""], dropped)
    return Found(tuple(insights), tuple(ops), tuple(dropped))


def _short(items: Sequence[T], texts: Callable[[T], Sequence[str]], dropped: list[Dropped]) -> list[T]:
    kept: list[T] = []
    for item in items:
        said = texts(item)
        if said[-1] and not any(map(str.isalnum, said[-1])):
            dropped.append(Dropped(_shown(said), "it says nothing"))
        elif len(kept) == MOST_ITEMS:
            dropped.append(Dropped(_shown(said), f"it is one of more than {MOST_ITEMS}"))
        elif any(len(text) > MOST_STATEMENT for text in said):
            dropped.append(Dropped(_shown(said), f"it is longer than {MOST_STATEMENT} characters"))
        else:
            kept.append(item)
    return kept


def _shown(item: object) -> str:
    """What a list shows of an item, whatever it is."""
    said = item if isinstance(item, str) else _json(item)
    return _one_line(said[: 2 * grammar.SHOWN_CHARS])[: grammar.SHOWN_CHARS]


def _json(item: object) -> str:
    try:
        return json.dumps(item, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return type(item).__name__
