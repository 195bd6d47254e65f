"""Where socket, data and settings are: one rule for the daemon and for everything that talks to it.

The client's hot path opens this file, so it imports nothing that the interpreter has not loaded already:
``pathlib`` alone would cost more than the round trip.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 103  # what a socket address holds everywhere: 104 bytes on macOS (108 on Linux), one for the NUL
NAME = "memd.sock"


def socket_path(env: Mapping[str, str], *, home: str | None = None, socket: str | None = None) -> str:
    """The absolute path of the socket: as told, else in memd's home, the run-time folder, or the data folder."""
    told = socket or env.get("MEMD_SOCKET")
    if told:
        return _absolute(told, env)
    home = home or env.get("MEMD_HOME")
    if home:
        return os.path.join(_absolute(home, env), "run", NAME)
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        return os.path.join(runtime, "memd", NAME)
    return os.path.join(data_folder(env), "run", NAME)


def data_folder(env: Mapping[str, str], *, home: str | None = None) -> str:
    """The absolute path of the folder with the database: in memd's home, else among the user's data."""
    home = home or env.get("MEMD_HOME")
    return os.path.join(_absolute(home, env), "data") if home else os.path.join(_user_data(env), "memd")


def config_file(env: Mapping[str, str], *, home: str | None = None) -> str:
    """The absolute path of the settings: as told, else in memd's home, else among the user's configuration."""
    told = env.get("MEMD_CONFIG")
    if told:
        return _absolute(told, env)
    home = home or env.get("MEMD_HOME")
    return os.path.join(
        _absolute(home, env) if home else os.path.join(_user_config(env), "memd"), "config.toml"
    )


def _user_config(env: Mapping[str, str]) -> str:
    config = env.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(config):
        return config
    usual = ("Library", "Application Support") if sys.platform == "darwin" else (".config",)
    return os.path.join(_user_home(env), *usual)


def _user_data(env: Mapping[str, str]) -> str:
    data = env.get("XDG_DATA_HOME", "")
    if os.path.isabs(data):  # the XDG rules have relative values ignored
        return data
    if sys.platform == "darwin":
        return os.path.join(_user_home(env), "Library", "Application Support")
    return os.path.join(_user_home(env), ".local", "share")


def _user_home(env: Mapping[str, str]) -> str:
    return env.get("HOME") or os.path.expanduser("~")


def _absolute(path: str, env: Mapping[str, str]) -> str:
    """Unit files and JSON settings carry a literal ~, which no shell has expanded."""
    if path == "~" or path.startswith("~/"):
        path = _user_home(env) + path[1:]
    return os.path.abspath(path)
