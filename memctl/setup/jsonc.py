"""JSON with comments, edited as text: what is put in goes where it belongs, and every other byte stays.

The rule: a settings file is a person's. Comments, key order, line ends, indentation and trailing commas are read
around, never written anew; and ``remove`` of what ``append`` has put in gives the text from before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

DEEPEST = 64
BOM = "\ufeff"

_COMMENT = r"//[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
_TRIVIA = re.compile(rf"(?:[ \t\r\n]++|{_COMMENT})*+")
_COMMENTS = re.compile(_COMMENT)
_BESIDE = re.compile(
    r"(?:[ \t]*+(?://[^\r\n]*+|/\*(?:[^*\r\n]|\*(?!/))*+\*/))*+"
)  # comments on the same line
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+"|-?\d[\d.eE+-]*+|true|false|null')
_SPACE = " \t\r\n"


class NoJson(ValueError):
    """The text is no JSON, or not of the shape that is needed: says in which line, or what is wrong."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands. Of an object or array ``value`` is its plain value, ``children`` what it holds."""

    start: int
    end: int
    value: object
    children: tuple[Child, ...] = ()

    def child(self, key: str) -> Child | None:
        """The member with a key; the last one, as readers of JSON have it."""
        return next((child for child in reversed(self.children) if child.key == key), None)

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        found = self.child(key)
        return found.node if found else None


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object, or an item of an array (``key`` is None): where it begins, with its key, and its value."""

    key: str | None
    start: int
    node: Node


def parse(text: str) -> Node:
    """The value that the text holds; NoJson where it is none."""
    at = _after(text, len(BOM) if text.startswith(BOM) else 0)
    node = _value(text, at, 0)
    if _after(text, node.end) != len(text):
        raise _wrong(text, _after(text, node.end))
    return node


def append(text: str, container: Node, value: object, key: str | None = None) -> str:
    """The text with one more member (with a key) or item at the end of an object or array."""
    if not container.children:
        return _fill(text, container, value, key)
    last = container.children[-1]
    comma = _comma(text, last.node.end)
    at = last.node.end if comma is None else comma + 1
    beside = _BESIDE.match(text, at)
    place = beside.end() if beside else at
    indent = _own_line(text, last.start)
    if indent is None:
        gap = _eol(text) if "//" in text[at:place] else " "
        put = gap + _dumped(text, value, key, None)
    else:
        put = _eol(text) + indent + _dumped(text, value, key, indent)
    if comma is None:
        return f"{text[:at]},{text[at:place]}{put}{text[place:]}"
    return f"{text[:place]}{put},{text[place:]}"


def remove(text: str, container: Node, child: Child) -> str:
    """The text without a child, and without the comma and the space in front that came with it."""
    at = container.children.index(child)
    since = container.children[at - 1].node.end if at else container.start + 1
    end, comma = child.node.end, _comma(text, child.node.end)
    cuts = [(_shrunk(text, since, child.start, end), end)]
    if comma is not None:
        cuts.append((comma, comma + 1))
    elif at and (own := _comma(text, since)) is not None:
        cuts.insert(0, (own, own + 1))
    left = _without(text[container.start + 1 : container.end - 1], cuts, container.start + 1)
    if len(container.children) == 1 and not left.strip(_SPACE):
        left = ""
    return text[: container.start + 1] + left + text[container.end - 1 :]


def prune(text: str, chain: Sequence[tuple[Node, Child]], before: Node | None) -> str:
    """The text without the innermost child, nor what holds nothing else then, unless that stood there ``before`` too.

    The chain leads from the root: a container, and the child of it that is the next container.
    """
    depth = len(chain) - 1
    while depth and len(chain[depth][0].children) == 1:
        if _stood(before, [child.key for _, child in chain[:depth]]):
            break
        depth -= 1
    return remove(text, *chain[depth])


def replace(text: str, node: Node, value: object) -> str:
    """The text with another value in a node's place, on one line."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise NoJson(f"nested more than {DEEPEST} deep")
    if text[at : at + 1] == "{":
        end, members = _children(text, at, depth, "}")
        return Node(at, end, {str(child.key): child.node.value for child in members}, tuple(members))
    if text[at : at + 1] == "[":
        end, items = _children(text, at, depth, "]")
        return Node(at, end, [child.node.value for child in items], tuple(items))
    found = _SCALAR.match(text, at)
    try:
        if found:
            return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        pass
    raise _wrong(text, at)


def _children(text: str, start: int, depth: int, closing: str) -> tuple[int, list[Child]]:
    found: list[Child] = []
    at = _after(text, start + 1)
    while text[at : at + 1] != closing:
        child = _child(text, at, depth, keyed=closing == "}")
        found.append(child)
        at = _after(text, child.node.end)
        if text[at : at + 1] == ",":
            at = _after(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at)
    return at + 1, found


def _child(text: str, at: int, depth: int, *, keyed: bool) -> Child:
    if not keyed:
        return Child(None, at, _value(text, at, depth + 1))
    key = _value(text, at, depth + 1)
    colon = _after(text, key.end)
    if not isinstance(key.value, str) or text[colon : colon + 1] != ":":
        raise _wrong(text, at)
    return Child(key.value, at, _value(text, _after(text, colon + 1), depth + 1))


def _fill(text: str, container: Node, value: object, key: str | None) -> str:
    """Put the first child into an empty object or array, behind the comments that stand in it."""
    inner = text[container.start + 1 : container.end - 1]
    place = container.start + 1 + len(inner.rstrip(_SPACE))
    if "\n" not in text.strip(_SPACE) and ":" in text:  # all on one line: so is what is put in
        return text[:place] + _dumped(text, value, key, None) + text[place:]
    outer = _indent(text, container.start)
    indent = outer + _unit(text)
    put = _eol(text) + indent + _dumped(text, value, key, indent)
    end = "" if "\n" in text[place : container.end] else _eol(text) + outer
    return text[:place] + put + end + text[place:]


def _dumped(text: str, value: object, key: str | None, indent: str | None) -> str:
    """The value as this text would have it: below an indentation, or on one line."""
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if indent is None:
        return name + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return name + lines.replace("\n", _eol(text) + indent)


def _stood(node: Node | None, keys: Sequence[str | None]) -> bool:
    for key in keys:
        node = node.get(key) if node and key is not None else None
    return node is not None


def _without(text: str, cuts: list[tuple[int, int]], offset: int) -> str:
    for start, end in reversed(cuts):
        text = text[: start - offset] + text[end - offset :]
    return text


def _shrunk(text: str, since: int, start: int, end: int) -> int:
    """Where the space in front of a child begins, but for the line end that a comment before it needs."""
    shrunk = since + len(text[since:start].rstrip(_SPACE))
    needed = any(
        found.end() == shrunk and found[0].startswith("//")
        for found in _COMMENTS.finditer(text, since, shrunk)
    )
    return start if needed and text[end:].lstrip(" \t,")[:1] not in ("\r", "\n") else shrunk


def _own_line(text: str, start: int) -> str | None:
    """The indentation of what begins here, where it has begun a line; None where other things precede it there."""
    begin = text.rfind("\n", 0, start) + 1
    indent = text[begin:start]
    return indent if begin and not indent.strip(" \t") else None


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation: that of the first line that has one."""
    found = re.search(r"\n([ \t]+)[^\s/*]", text)
    return found[1] if found else "  "


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _comma(text: str, at: int) -> int | None:
    """Where the comma behind a value stands, if there is one."""
    at = _after(text, at)
    return at if text[at : at + 1] == "," else None


def _after(text: str, at: int) -> int:
    """The place behind space and comments."""
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int) -> NoJson:
    return NoJson(f"line {text.count(chr(10), 0, at) + 1} is no JSON")
