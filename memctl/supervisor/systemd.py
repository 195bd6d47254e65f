"""memd as a unit of the user's systemd: what each action takes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from memctl.supervisor.place import Place, template
from memctl.supervisor.steps import Remove, Run, Say, Show, Step, Write

_PLAIN = re.compile(r"[\w/.+@-]+", re.ASCII)
SERVICE, SOCKET = "memd.service", "memd.socket"
_USER = ("systemctl", "--user")
_THERE = Run(
    (*_USER, "show-environment"),
    otherwise="systemd does not run units of yours here (`systemctl --user` fails): start `memd run` by other means",
)


def plan(action: str, place: Place, *, lines: int = 100, follow: bool = False) -> Sequence[Step]:
    """The steps of an action: install, uninstall, start, stop, restart, status, logs."""
    match action:
        case "install":
            return _install(place)
        case "uninstall":
            return [
                Run((*_USER, "disable", "--now", SERVICE, SOCKET), may_fail=True),
                *[Remove(os.path.join(folder(place.config), name)) for name in (SERVICE, SOCKET)],
                Run((*_USER, "daemon-reload"), may_fail=True),
                Say("memd is no service any more; what it stored is still there"),
            ]
        case "stop":  # with the socket, or the next question would start it again
            return [_THERE, Run((*_USER, "stop", SOCKET, SERVICE))]
        case "status":
            return [_THERE, Show((*_USER, "--no-pager", "status", SERVICE))]
        case "logs":
            command = ("journalctl", "--user", "--unit", SERVICE, "--no-pager", "--lines", str(lines))
            return [Show((*command, "--follow") if follow else command)]
    return [_THERE, Run((*_USER, action, SERVICE))]


def _install(place: Place) -> Sequence[Step]:
    return [
        _THERE,
        Write(os.path.join(folder(place.config), SERVICE), service(place)),
        Write(os.path.join(folder(place.config), SOCKET), socket(place)),
        Run((*_USER, "daemon-reload")),
        Run((*_USER, "enable", "--now", SERVICE)),
        Say(
            "memd runs, and starts when you log in; `loginctl enable-linger` keeps it running when you log out"
        ),
    ]


def service(place: Place) -> str:
    """The unit, with the program and its environment filled in."""
    given = "".join(f'Environment="{name}={_escaped(value)}"\n' for name, value in place.environment.items())
    program = place.memd if _PLAIN.fullmatch(place.memd) else f'"{_escaped(place.memd)}"'
    start = f"ExecStart={program} run\n"
    return template("systemd/memd.service").replace("ExecStart=@MEMD@ run\n", given + start)


def socket(place: Place) -> str:
    """The socket's unit."""
    return template("systemd/memd.socket").replace("@SOCKET@", place.socket.replace("%", "%%"))


def folder(config: str) -> str:
    """Where the user's units lie."""
    return os.path.join(config, "systemd", "user")


def _escaped(text: str) -> str:
    """Inside double quotes (systemd.syntax(7)); a percent sign would begin a specifier."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
