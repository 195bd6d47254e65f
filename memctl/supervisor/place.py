"""Where a service is installed: the programs, the folders and the environment it is given."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from memctl.exits import REFUSED, Failure
from memd.wire.address import socket_path

# What says where things are. Settings and keys do not belong into a unit.
_PASSED = (
    "MEMD_HOME",
    "MEMD_SOCKET",
    "MEMD_CONFIG",
    "MEMD_PROJECTS_DIR",
    "MEMD_OBSERVATIONS_DIR",
    "MEMD_MODEL_DIR",
    "CLAUDE_CONFIG_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)


@dataclass(frozen=True, slots=True)
class Place:
    """All that a plan depends on."""

    memd: str
    user_home: str
    uid: int
    config: str
    logs: str
    socket: str
    environment: Mapping[str, str]


def here(env: Mapping[str, str], *, home: str | None = None, socket: str | None = None) -> Place:
    """This user, on this machine."""
    user_home = env.get("HOME") or os.path.expanduser("~")
    passed = {name: env[name] for name in _PASSED if env.get(name)}
    if home:
        passed["MEMD_HOME"] = home
    if "MEMD_HOME" in passed:
        passed["MEMD_HOME"] = os.path.abspath(os.path.expanduser(passed["MEMD_HOME"]))
    if socket:
        passed["MEMD_SOCKET"] = os.path.abspath(socket)
    for name, value in passed.items():
        if "\n" in value:
            raise Failure(REFUSED, f"{name} holds a line break, which no unit can pass on")
    memd_home = passed.get("MEMD_HOME")
    return Place(
        memd=program("memd", env),
        user_home=user_home,
        uid=os.getuid(),
        config=config(env),
        logs=os.path.join(memd_home, "logs") if memd_home else os.path.join(_state(env, user_home), "memd"),
        socket=socket_path(env, home=home, socket=socket),
        environment=passed,
    )


def config(env: Mapping[str, str]) -> str:
    """The folder of the user's settings, of systemd's units too."""
    user_home = env.get("HOME") or os.path.expanduser("~")
    return _xdg(env, "XDG_CONFIG_HOME", os.path.join(user_home, ".config"))


def program(name: str, env: Mapping[str, str]) -> str:
    """The ``memd`` or ``memctl`` of this installation. A link is kept: it still leads somewhere after an upgrade."""
    started = sys.argv[0]
    folders = [os.path.dirname(sys.executable)]
    if os.path.basename(started) == "memctl":
        folders[:0] = [os.path.dirname(os.path.abspath(started)), os.path.dirname(os.path.realpath(started))]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(name, path=env.get("PATH"))
    if not found:
        raise Failure(
            REFUSED, f"there is no {name} beside memctl ({folders[0]}), nor on PATH: install it anew"
        )
    return os.path.abspath(found)


def template(name: str) -> str:
    """The text of ``systemd/…``, ``launchd/…`` or ``plugin/…``: in the package where it is installed, beside it in a
    checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "service"), os.path.dirname(package)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise Failure(REFUSED, f"{name} is missing from this installation of memd: install it anew")


def _xdg(env: Mapping[str, str], name: str, otherwise: str) -> str:
    return env[name] if os.path.isabs(env.get(name, "")) else otherwise


def _state(env: Mapping[str, str], user_home: str) -> str:
    mac = sys.platform == "darwin"
    usual = ("Library", "Application Support") if mac else (".local", "state")
    return _xdg(env, "XDG_STATE_HOME", os.path.join(user_home, *usual))
