"""What holds and what does not: doctor, with a memd to ask or without."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memctl import client, output, terminal
from memctl.arguments import Arguments
from memctl.command import Command, Flag
from memctl.cwd import cwd
from memctl.doctor import check, claude, files, service
from memctl.doctor.check import FAULT, OK, UNKNOWN, WARN, Check, Mend
from memctl.exits import DONE, NO_DAEMON, REFUSED, Failure
from memctl.output import line
from memctl.supervisor import machine, place, steps
from memd.wire.address import data_folder, socket_path

SECONDS = 30.0

_MARKS = {OK: "ok", UNKNOWN: "--", WARN: "warn", FAULT: "FAULT"}
_COLORS = {WARN: "\x1b[33m", FAULT: "\x1b[31m"}


def doctor(arguments: Arguments) -> int:
    """Every check; 1 where something promised does not hold, which is also so where memd is away."""
    found, mended = _look(arguments), list[str]()
    if arguments.has("fix"):
        mended = list(_mend(found))
        found = _look(arguments) if mended else found
    sound = all(one.state != FAULT for one in found)
    answer = {"ok": sound, "checks": [one.record() for one in found], "mended": mended}
    output.show(arguments, answer, _report(found, mended, terminal.has_color(arguments.has("no_color"))))
    return DONE if sound else REFUSED


def _look(arguments: Arguments) -> list[Check]:
    env = os.environ
    data = data_folder(env, home=arguments.text("home"))
    socket = socket_path(env, home=arguments.text("home"), socket=arguments.text("socket"))
    try:
        client.ask(arguments, "ping", {})  # one that hangs is known by this, and sooner
        answer = client.ask(arguments, "doctor", {}, SECONDS)
    except Failure as failure:
        asked = [_away(failure), files.database(data), *files.set_aside(data), files.disk(data)]
    else:
        asked = [
            _here(socket),
            *(check.told(row, _mends(arguments, row)) for row in output.rows(answer, "checks")),
        ]
        data = str(output.part(answer, "places").get("data") or data)
    running = asked[0].state == OK
    return [
        *asked,
        files.modes(data, socket),
        service.check(env, running=running, start=_start),
        *claude.checks(env, cwd()),
    ]


def _here(socket: str) -> Check:
    return Check("daemon", OK, f"answers at {socket}", "memd reads, stores and searches")


def _away(failure: Failure) -> Check:
    fix = "memctl service restart"
    if failure.code == NO_DAEMON:
        fix = "memctl service start" if machine.has_service(os.environ) else "memctl service install"
    return Check("daemon", FAULT, failure.message, "without memd nothing is read and nothing is found", fix)


def _mends(arguments: Arguments, row: output.Record) -> Mend | None:
    """What memd can mend by itself when it is asked to."""
    match row.get("name"), row.get("state"):
        case "index", "fault":
            return lambda: _ask(arguments, "repair", {})
        case "embedding", ("fault" | "warn"):
            return lambda: _ask(arguments, "reindex", {"missing": True})
    return None


def _ask(arguments: Arguments, method: str, params: dict[str, object]) -> None:
    client.ask(arguments, method, params, client.LONG_SECONDS)


def _start() -> None:
    """Start the service that is written already."""
    steps.perform(machine.plan("start", place.here(os.environ)), quiet=True)


def _mend(found: list[Check]) -> Iterator[str]:
    """Do what can do no harm; what was done, or why it was not."""
    for one in found:
        if one.mend and one.state in (WARN, FAULT):
            try:
                one.mend()
            except (Failure, OSError) as error:
                yield f"{one.name}: not mended: {error}"
            else:
                yield f"{one.name}: done: {one.fix}"


def _report(found: list[Check], mended: list[str], color: bool) -> str:
    wide = max(len(one.name) for one in found)
    lines = [f"mended  {line(what)}\n" for what in mended]
    lines += [_said(one, wide, color) for one in found]
    faults = sum(one.state == FAULT for one in found)
    warnings = sum(one.state == WARN for one in found)
    end = "all that is promised holds" if not faults else f"{faults} of what is promised does not hold"
    return "".join(lines) + f"{end}{f'; {warnings} to look at' if warnings else ''}\n"


def _said(one: Check, wide: int, color: bool) -> str:
    on, off = (_COLORS.get(one.state, ""), "\x1b[0m") if color and one.state in _COLORS else ("", "")
    text = f"{on}{_MARKS[one.state]:<5}{off}  {line(one.name):<{wide}}  {line(one.detail)}\n"
    if one.state in (WARN, FAULT):
        more = [line(part) for part in (one.means, f"-> {one.fix}" if one.fix else "") if part]
        text += "".join(f"{'':<{wide + 9}}{part}\n" for part in more)
    return text


COMMANDS = (
    Command(
        "doctor",
        "check everything that memd needs and promises, and say what mends it",
        doctor,
        flags=(Flag("--fix", "mend what can be mended without harm, and say what was done"),),
        story="Works without a memd to ask, too: that memd is away is a fault then. Ends with 1 where something"
        " promised does not hold. --fix tightens modes, starts the service that is installed, makes an index anew; the"
        " client's own files it never touches.",
    ),
)
