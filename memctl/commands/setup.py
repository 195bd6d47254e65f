"""memd into Claude Code and out again: setup, unsetup."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.command import Command, Flag, choice
from memctl.exits import REFUSED, Usage
from memctl.output import line
from memctl.setup import plan as plans
from memctl.setup import record, shown
from memctl.setup.places import PROJECT, USER, Places, places
from memctl.setup.plan import Plan
from memctl.setup.record import Record
from memctl.supervisor import place
from memd.wire.address import data_folder


def setup_client(arguments: Arguments) -> int:
    """Hooks, MCP server and skills into Claude Code, after the diff was shown and agreed to."""
    where, kept = _where(arguments), _record(arguments)
    twice = None if arguments.has("force") else plans.doubled(os.environ, os.getcwd(), where)
    if twice:
        plan = Plan(notes=[f"{twice}: nothing is added (--force adds them; memctl doctor tells of both)"])
    else:
        memctl = place.program("memctl", os.environ)
        plan = plans.setup(where, memctl, _flags(arguments), kept)
    return _carry_out(arguments, where, plan, kept, undo=False)


def unsetup_client(arguments: Arguments) -> int:
    """All that setup has put into Claude Code out of it again."""
    where, kept = _where(arguments), _record(arguments)
    return _carry_out(arguments, where, plans.unsetup(where, kept), kept, undo=True)


def _carry_out(arguments: Arguments, where: Places, plan: Plan, kept: Record, *, undo: bool) -> int:
    """Show a plan, ask, and do it."""
    answer: dict[str, object] = {
        "scope": where.scope,
        "changes": [shown.record(change) for change in plan.changes],
        "notes": plan.notes,
        "done": False,
    }
    told = shown.described(plan, color=terminal.has_color(arguments.has("no_color")))
    told += "" if plan.changes else _nothing(where, undo=undo)
    if arguments.has("dry_run") or not plan.changes:
        return output.show(arguments, answer, told)
    if not arguments.has("json"):
        terminal.write(told)
    if not _agreed(arguments, "Change these files?"):
        terminal.complain("nothing was changed")
        return REFUSED
    done = _apply(plan, kept, undo=undo)
    return output.show(arguments, {**answer, "done": True}, done)


def _apply(plan: Plan, kept: Record, *, undo: bool) -> str:
    lines: list[str] = []
    for change in plan.changes:
        if undo:
            plans.undo(change, kept)
            lines.append(
                f"{line(change.path)} is {'removed' if change.after is None else 'without memd again'}\n"
            )
        else:
            copy = plans.apply(change, kept)
            lines.append(f"{line(change.path)} is written{f'; as it was: {line(copy)}' if copy else ''}\n")
    return "".join(lines)


def _nothing(where: Places, *, undo: bool) -> str:
    return f"nothing {'of memd stands' if undo else 'is to be added'} in {line(where.settings)}\n"


def _agreed(arguments: Arguments, question: str) -> bool:
    """Whether to go on: told so, or asked; Usage where nobody can be asked."""
    if arguments.has("yes"):
        return True
    if arguments.has("json") or not terminal.can_ask():
        raise Usage("there is nobody to ask: look at it with --dry-run, then give --yes")
    return terminal.agrees(question)


def _where(arguments: Arguments) -> Places:
    return places(os.environ, arguments.text("scope") or USER, os.getcwd())


def _record(arguments: Arguments) -> Record:
    return record.load(data_folder(os.environ, home=arguments.text("home")))


def _flags(arguments: Arguments) -> list[str]:
    """Which memd is meant, where the command line says so."""
    named = {name: arguments.text(name) for name in ("home", "socket")}
    return [part for name, value in named.items() if value for part in (f"--{name}", os.path.abspath(value))]


_SCOPE = choice("--scope", (USER, PROJECT), "for all your sessions (user), or for those in this folder")
_DRY = Flag("--dry-run", "show what would be changed, and change nothing")
_YES = Flag("--yes", "do not ask")

COMMANDS = (
    Command(
        "setup claude-code",
        "put hooks, MCP server and skills into Claude Code, after showing what changes",
        setup_client,
        flags=(_SCOPE, Flag("--force", "also where memd's hooks are there by other means"), _DRY, _YES),
        apart=(("dry_run", "yes"),),
        story="The files are edited as text: comments, order, other hooks and line ends stay, and a copy of each is"
        " kept first. Again it changes only what is out of date. memctl unsetup claude-code takes out what was put in.",
        examples=("memctl setup claude-code --dry-run", "memctl setup claude-code --scope project --yes"),
    ),
    Command(
        "unsetup claude-code",
        "take out of Claude Code what setup has put in",
        unsetup_client,
        flags=(_SCOPE, _DRY, _YES),
        apart=(("dry_run", "yes"),),
        story="A file that nobody else has changed since is as before, byte for byte; of any other, memd's own part"
        " goes. What memd has stored stays.",
    ),
)
