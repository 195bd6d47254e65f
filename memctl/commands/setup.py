"""memd at home on this machine: setup, unsetup."""

from __future__ import annotations

import os
from collections.abc import Callable

from memctl import terminal
from memctl.arguments import Arguments
from memctl.command import Command, Flag, choice
from memctl.cwd import cwd
from memctl.exits import Failure
from memctl.output import line
from memctl.setup import plan as plans
from memctl.setup import record, shown
from memctl.setup.offer import Part, carry_out
from memctl.setup.places import PROJECT, USER, Places, places
from memctl.setup.plan import Change, Plan
from memctl.setup.record import Record
from memctl.supervisor import machine, place, steps
from memd.wire.address import data_folder

_UNDO = "To take it back: memctl unsetup claude-code; memctl service uninstall\n"
_OTHERWISE = (
    "without a service, [client] autostart = true in config.toml has memctl start memd when it is needed"
)


def setup(arguments: Arguments) -> int:
    """memd as a service, and into Claude Code: each shown, and agreed to by itself."""
    code = carry_out(arguments, [_service(arguments), _client(arguments)])
    if not (arguments.has("dry_run") or arguments.has("json")):
        terminal.write(_UNDO)
    return code


def setup_client(arguments: Arguments) -> int:
    """Hooks, MCP server and skills into Claude Code, after the diff was shown and agreed to."""
    return carry_out(arguments, [_client(arguments)])


def unsetup_client(arguments: Arguments) -> int:
    """All that setup has put into Claude Code out of it again."""
    where, kept = _where(arguments), _record(arguments)
    plan = plans.unsetup(where, kept)
    nothing = f"nothing of memd stands in {line(where.settings)}"
    return carry_out(arguments, [_changes(arguments, where, plan, nothing, kept, _undone)])


def _service(arguments: Arguments) -> Part:
    """The service, where there is none yet."""
    where = place.here(os.environ, home=arguments.text("home"), socket=arguments.text("socket"))
    if machine.has_service(os.environ):
        return Part("service", "", "memd is a service already\n", {"steps": []})
    planned = machine.plan("install", where)

    def act() -> str:
        machine.check_free(os.environ, where)
        try:
            return steps.perform(planned, quiet=True)[1]
        except Failure as failure:
            raise Failure(failure.code, f"{failure.message}; {_OTHERWISE}") from None

    answer: dict[str, object] = {"steps": [steps.record(step) for step in planned]}
    return Part("service", "Run memd as a service?", steps.describe(planned), answer, act)


def _client(arguments: Arguments) -> Part:
    """What is missing in Claude Code."""
    where, kept = _where(arguments), _record(arguments)
    twice = None if arguments.has("force") else plans.doubled(os.environ, cwd(), where)
    if twice:
        plan = Plan(notes=[f"{twice}: nothing is added (memctl setup claude-code --force adds them)"])
    else:
        plan = plans.setup(where, place.program("memctl", os.environ), _flags(arguments), kept)
    nothing = f"nothing is to be added in {line(where.settings)}"
    return _changes(arguments, where, plan, nothing, kept, _applied)


def _changes(
    arguments: Arguments,
    where: Places,
    plan: Plan,
    nothing: str,
    kept: Record,
    do: Callable[[Change, Record], str],
) -> Part:
    told = shown.described(plan, color=terminal.has_color(arguments.has("no_color")))
    changes = plan.changes
    answer: dict[str, object] = {
        "scope": where.scope,
        "changes": [shown.record(change) for change in changes],
        "notes": plan.notes,
    }
    if not changes:
        return Part("claude_code", "", f"{told}{nothing}\n", answer)

    def act() -> str:
        with kept.alone():
            return "".join(do(change, kept) for change in changes)

    return Part("claude_code", "Change these files?", told, answer, act)


def _applied(change: Change, kept: Record) -> str:
    copy = plans.apply(change, kept)
    return f"{line(change.path)} is written{f'; as it was: {line(copy)}' if copy else ''}\n"


def _undone(change: Change, kept: Record) -> str:
    plans.undo(change, kept)
    return f"{line(change.path)} is {'removed' if change.after is None else 'without memd again'}\n"


def _where(arguments: Arguments) -> Places:
    return places(os.environ, arguments.text("scope") or USER, cwd())


def _record(arguments: Arguments) -> Record:
    return record.load(data_folder(os.environ, home=arguments.text("home")))


def _flags(arguments: Arguments) -> list[str]:
    """Which memd is meant, where the command line says so."""
    named = {name: arguments.text(name) for name in ("home", "socket")}
    return [part for name, value in named.items() if value for part in (f"--{name}", os.path.abspath(value))]


_SCOPE = choice("--scope", (USER, PROJECT), "for all your sessions (user), or for those in this folder")
_DRY = Flag("--dry-run", "show what would be changed, and change nothing")
_YES = Flag("--yes", "do not ask")
_APART = (("dry_run", "yes"),)

COMMANDS = (
    Command(
        "setup",
        "run memd as a service and put it into Claude Code, after showing what changes",
        setup,
        flags=(_SCOPE, _DRY, _YES),
        apart=_APART,
        story="Both steps are shown, and each is asked for by itself: memctl service install, and memctl setup"
        " claude-code. Where nobody can be asked it only shows them, and ends with 2; --yes does both.",
        examples=("memctl setup --dry-run",),
    ),
    Command(
        "setup claude-code",
        "put hooks, MCP server and skills into Claude Code, after showing what changes",
        setup_client,
        flags=(_SCOPE, Flag("--force", "also where memd's hooks are there by other means"), _DRY, _YES),
        apart=_APART,
        story="The files are edited as text: comments, order, other hooks and line ends stay, and a copy of each is"
        " kept first. Again it changes only what is out of date. memctl unsetup claude-code takes out what was put in.",
        examples=("memctl setup claude-code --dry-run", "memctl setup claude-code --scope project --yes"),
    ),
    Command(
        "unsetup claude-code",
        "take out of Claude Code what setup has put in",
        unsetup_client,
        flags=(_SCOPE, _DRY, _YES),
        apart=_APART,
        story="A file that nobody else has changed since is as before, byte for byte; of any other, memd's own part"
        " goes. What memd has stored stays.",
    ),
)
