"""memd as an agent of the user's launchd: what each action takes."""

from __future__ import annotations

import os
import plistlib
from collections.abc import Sequence

from memctl.supervisor.place import Place, template
from memctl.supervisor.steps import Folder, Remove, Run, Say, Show, Step, Write

LABEL = "dev.memd.memd"


def plan(action: str, place: Place, *, lines: int = 100, follow: bool = False) -> Sequence[Step]:
    """The steps of an action: install, uninstall, start, stop, restart, status, logs."""
    domain = f"gui/{place.uid}"
    agent = f"{domain}/{LABEL}"
    path = agent_file(place.user_home)
    match action:
        case "install":
            return [
                Folder(place.logs),
                Write(path, plist(place)),
                Run(("launchctl", "bootout", agent), may_fail=True),
                Run(("launchctl", "enable", agent)),
                Run(("launchctl", "bootstrap", domain, path)),
                Say("memd runs, and starts when you log in"),
            ]
        case "uninstall":
            return [
                Run(("launchctl", "bootout", agent), may_fail=True),
                Remove(path),
                Say("memd is no agent any more; what it stored is still there"),
            ]
        case "start":
            return [Run(("launchctl", "kickstart", agent))]
        case "stop":
            return [Run(("launchctl", "kill", "SIGTERM", agent))]
        case "restart":
            return [Run(("launchctl", "kickstart", "-k", agent))]
        case "status":
            return [Show(("launchctl", "print", agent))]
    files = [os.path.join(place.logs, name) for name in ("memd.err", "memd.log")]
    return [Show(("tail", "-n", str(lines), *(("-F",) if follow else ()), *files))]


def agent_file(user_home: str) -> str:
    """Where the user's agent lies."""
    return os.path.join(user_home, "Library", "LaunchAgents", f"{LABEL}.plist")


def plist(place: Place) -> str:
    """The agent, with the program, its environment and the file for what is said before the log stands filled in."""
    agent = plistlib.loads(template(f"launchd/{LABEL}.plist").encode())
    agent["ProgramArguments"][0] = place.memd
    agent["StandardErrorPath"] = os.path.join(place.logs, "memd.err")
    if place.environment:
        agent["EnvironmentVariables"] = dict(place.environment)
    return plistlib.dumps(agent, sort_keys=False).decode()
