"""Whether a supervisor keeps memd running: unit or agent written, its program there, started at login."""

from __future__ import annotations

import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Mapping

from memctl.doctor.check import FAULT, OK, WARN, Check, Mend
from memctl.supervisor import launchd, place, systemd

MEANS = "memd reads only while it runs, and the client deletes its transcripts"
_LINGER = "/var/lib/systemd/linger"
_SECONDS = 5.0


def check(env: Mapping[str, str], *, running: bool, start: Mend) -> Check:
    """How the service stands; ``start`` mends one that is written and does not run."""
    found = _launchd(env) if sys.platform == "darwin" else _systemd(env)
    if running or found.state != OK:
        return found
    fix = "memctl service start; memctl service logs"
    return Check("service", FAULT, f"{found.detail}; it does not run{_result()}", MEANS, fix, start)


def _systemd(env: Mapping[str, str]) -> Check:
    folder = systemd.folder(place.config(env))
    program = _program(os.path.join(folder, systemd.SERVICE))
    if program is None:
        return _missing()
    if not os.access(program, os.X_OK):
        return _gone(program)
    wants = ("default.target.wants/memd.service", "sockets.target.wants/memd.socket")
    if not any(os.path.lexists(os.path.join(folder, name)) for name in wants):
        return Check(
            "service", WARN, "written, but it does not start at login", MEANS, "memctl service install"
        )
    lingers = os.path.exists(os.path.join(_LINGER, env.get("USER") or _user()))
    until = (
        "runs on when you log out" if lingers else "ends when you log out (loginctl enable-linger keeps it)"
    )
    return Check("service", OK, f"systemd starts it at login, and it {until}", MEANS)


def _launchd(env: Mapping[str, str]) -> Check:
    path = launchd.agent_file(env.get("HOME") or os.path.expanduser("~"))
    try:
        with open(path, "rb") as file:
            program = str(plistlib.load(file)["ProgramArguments"][0])
    except FileNotFoundError:
        return _missing()
    except (OSError, plistlib.InvalidFileException, LookupError, TypeError, ValueError):
        return Check("service", FAULT, f"{path} cannot be read", MEANS, "memctl service install")
    return (
        Check("service", OK, "launchd starts it at login", MEANS)
        if os.access(program, os.X_OK)
        else _gone(program)
    )


def _missing() -> Check:
    detail = "memd is no service: it runs only while somebody starts it"
    return Check("service", WARN, detail, MEANS, "memctl service install")


def _gone(program: str) -> Check:
    return Check("service", FAULT, f"its program {program} is gone", MEANS, "memctl service install")


def _program(unit: str) -> str | None:
    """What the unit starts; None where there is no unit."""
    try:
        with open(unit, encoding="utf-8", errors="replace") as file:
            lines = [line for line in file if line.startswith("ExecStart=")]
    except OSError:
        return None
    words = shlex.split(lines[0].removeprefix("ExecStart=")) if lines else []
    return words[0].replace("%%", "%") if words else ""


def _result() -> str:
    """How the unit ended, where systemd tells."""
    command = ("systemctl", "--user", "show", systemd.SERVICE, "--property=Result,ExecMainStatus")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    told = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    status = told.get("ExecMainStatus", "0")
    return f" (it ended with {status})" if status != "0" else ""


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name
