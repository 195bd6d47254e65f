"""The supervisor that this machine has: systemd on Linux, launchd on macOS."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from memctl.connection import Connection
from memctl.exits import REFUSED, Absent, Failure
from memctl.supervisor import launchd, place, systemd
from memctl.supervisor.place import Place
from memctl.supervisor.steps import Step


def plan(action: str, where: Place, *, lines: int = 100, follow: bool = False) -> Sequence[Step]:
    """The steps of an action: install, uninstall, start, stop, restart, status, logs."""
    chosen = launchd.plan if sys.platform == "darwin" else systemd.plan
    return chosen(action, where, lines=lines, follow=follow)


def has_service(env: Mapping[str, str]) -> bool:
    """Whether memd's unit or agent is written."""
    if sys.platform == "darwin":
        path = launchd.agent_file(env.get("HOME") or os.path.expanduser("~"))
    else:
        path = os.path.join(systemd.folder(place.config(env)), systemd.SERVICE)
    return os.path.lexists(path)


def check_free(env: Mapping[str, str], where: Place) -> None:
    """Failure where a memd runs that no supervisor has started: the service could not start beside it."""
    if has_service(env):
        return
    try:
        Connection(where.socket).close()
    except Absent:
        return
    except Failure:  # somebody is there
        pass
    hint = "end it (`memctl ping` tells its pid), then run this again"
    raise Failure(REFUSED, f"a memd runs already that was started by other means: {hint}")
