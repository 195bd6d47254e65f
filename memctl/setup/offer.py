"""What setup offers, part by part: each is shown, agreed to, done, and told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.exits import DONE, REFUSED, Failure, Usage


@dataclass(slots=True)
class Part:
    """One thing that can be done: how it reads for people, for JSON, and the doing, which gives what to tell.

    Without ``act`` there is nothing to be done.
    """

    name: str
    question: str
    told: str
    answer: dict[str, object] = field(default_factory=dict)
    act: Callable[[], str] | None = None


def carry_out(arguments: Arguments, parts: Sequence[Part]) -> int:
    """Show each part, ask, and do it: 0 where all that was offered is done, or was only to be shown.

    Usage where nobody can be asked. One that fails is told of, and does not keep the others from being done.
    """
    talks = not arguments.has("json")
    can_do = arguments.has("yes") or (talks and terminal.can_ask())
    codes = [_carry_out(arguments, part, can_do=can_do, talks=talks) for part in parts]
    if not (can_do or arguments.has("dry_run")) and any(part.act for part in parts):
        raise Usage("there is nobody to ask: look at it with --dry-run, then give --yes")
    if not talks:
        told = {part.name: part.answer for part in parts} if len(parts) > 1 else parts[0].answer
        terminal.write(output.document(told))
    return next((code for code in codes if code), DONE)


def _carry_out(arguments: Arguments, part: Part, *, can_do: bool, talks: bool) -> int:
    part.answer["done"] = False
    if talks:
        terminal.write(part.told)
    if part.act is None or arguments.has("dry_run") or not can_do:
        return DONE
    if not (arguments.has("yes") or terminal.agrees(part.question)):
        terminal.complain("nothing was changed")
        return REFUSED
    try:
        done = part.act()
    except Failure as failure:
        terminal.complain(failure.message)
        return failure.code
    part.answer["done"] = True
    if talks:
        terminal.write(done)
    return DONE
