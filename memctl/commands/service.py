"""memd as a service: install, uninstall, start, stop, restart, status, logs."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.command import Command, Flag, integer
from memctl.supervisor import machine, place, steps

_LINES = 100


def act(arguments: Arguments) -> int:
    """Show the steps of the action with ``--dry-run``, else do them."""
    action = arguments.command.name.split(" ")[1]
    where = place.here(os.environ, home=arguments.text("home"), socket=arguments.text("socket"))
    planned = machine.plan(
        action, where, lines=int(arguments.number("lines") or _LINES), follow=arguments.has("follow")
    )
    answer = {"action": action, "steps": [steps.record(step) for step in planned]}
    if arguments.has("dry_run"):
        return output.show(arguments, answer, steps.describe(planned))
    if action == "install":
        machine.check_free(os.environ, where)
    code, said = steps.perform(planned, quiet=arguments.has("json"))
    if arguments.has("json"):
        terminal.write(output.document({**answer, "output": said}))
    return code


_DRY = Flag("--dry-run", "print what would be written and run, and do nothing")
_STORY = "A unit of your own systemd on Linux, an agent of launchd on macOS; no privileges are needed."


COMMANDS = (
    Command(
        "service install",
        "write the unit or agent, start it, and have it start at login",
        act,
        flags=(_DRY,),
        story=f"{_STORY} Places that the environment names (MEMD_HOME and the like) are written into it.",
        examples=("memctl service install --dry-run",),
    ),
    Command("service uninstall", "stop it and remove the unit or agent", act, flags=(_DRY,)),
    Command("service start", "start memd", act, flags=(_DRY,)),
    Command("service stop", "stop memd until the next start or login", act, flags=(_DRY,)),
    Command("service restart", "stop memd and start it again", act, flags=(_DRY,)),
    Command(
        "service status",
        "what systemd or launchd says about it",
        act,
        flags=(_DRY,),
        story="`memctl status` asks memd itself.",
    ),
    Command(
        "service logs",
        "the last lines of the log",
        act,
        flags=(
            integer("--lines", 1, 100_000, f"so many lines ({_LINES})", short="-n"),
            Flag("--follow", "and those to come", short="-f"),
            _DRY,
        ),
        apart=(("json", "follow"),),
    ),
)
