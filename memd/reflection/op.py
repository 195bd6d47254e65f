"""What a reflection comes to: insights, and operations on the curated file, each with the entries behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

OpName = Literal["add", "rewrite", "merge", "retire"]


@dataclass(frozen=True, slots=True)
class Insight:
    """What several entries say together, and none of them alone."""

    text: str
    entries: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """A statement that the curated file does not have yet."""

    new: str
    entries: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A statement of the file that holds in other words now."""

    old: str
    new: str
    entries: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Merge:
    """One statement in the place of several; ``old`` are those of the file that it takes the place of."""

    new: str
    entries: Sequence[int] = ()
    old: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Retire:
    """A statement of the file that holds no longer."""

    old: str
    entries: Sequence[int] = ()


ReflectionOp = Add | Rewrite | Merge | Retire


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of a reply that could not be taken, cut to what a list shows, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """All that a reply holds. Nothing at all is an answer, too: there was nothing to record."""

    insights: Sequence[Insight] = ()
    ops: Sequence[ReflectionOp] = ()
    dropped: Sequence[Dropped] = ()


def name(op: ReflectionOp) -> OpName:
    """What it does, in a word."""
    match op:
        case Add():
            return "add"
        case Rewrite():
            return "rewrite"
        case Merge():
            return "merge"
        case Retire():
            return "retire"
    assert_never(op)


def before(op: ReflectionOp) -> Sequence[str]:
    """The statements of the file that it takes away."""
    match op:
        case Add():
            return ()
        case Merge(old=old):
            return old
        case Rewrite(old=one) | Retire(old=one):
            return (one,)
    assert_never(op)


def after(op: ReflectionOp) -> str | None:
    """The statement that it brings, if it brings one."""
    return None if isinstance(op, Retire) else op.new


def through(op: ReflectionOp, old: Callable[[str], str], new: Callable[[str], str]) -> ReflectionOp:
    """The operation with its texts put through functions."""
    match op:
        case Add():
            return Add(new(op.new), op.entries)
        case Rewrite():
            return Rewrite(old(op.old), new(op.new), op.entries)
        case Merge():
            return Merge(new(op.new), op.entries, [old(one) for one in op.old])
        case Retire():
            return Retire(old(op.old), op.entries)
    assert_never(op)


def made(kind: str, old: Sequence[str], new: str, entries: Sequence[int] = ()) -> ReflectionOp | str:
    """The operation of that name; in words what is amiss where it cannot be one."""
    match kind:
        case "retire":
            return Retire(old[0], entries) if len(old) == 1 else "it names no one statement to retire"
        case _ if not new:
            return "it says nothing new"
        case "add":
            return Add(new, entries)
        case "merge":
            return Merge(new, entries, old)
        case "rewrite":
            return Rewrite(old[0], new, entries) if len(old) == 1 else "it names no one statement to rewrite"
    return "it is no operation"
