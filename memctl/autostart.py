"""Autostart: whether the call that finds nobody starts memd. Opened only where a call would fail.

The rule: off by default; never where a supervisor has it, never for a hook, which waits for nobody.
"""

from __future__ import annotations

import os

from memd.wire.address import config_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memctl.arguments import Arguments
    from memctl.connection import Connection

_YES = ("true", "1", "yes", "on")
_WITHOUT = ("hook", "doctor")  # doctor tells how things are, and changes them only when it is asked to
_MOST_BYTES = 1 << 20


def reached(arguments: Arguments, path: str) -> Connection | None:
    """A connection to a memd that was started for it; None where none is to be started."""
    env, home = os.environ, arguments.text("home")
    if arguments.command.name in _WITHOUT or not is_on(env, home):
        return None
    from memctl.supervisor import detached, machine

    return None if machine.has_service(env) else detached.connected(env, path, home)


def is_on(env: Mapping[str, str], home: str | None = None) -> bool:
    """What the settings say; off where they cannot be read, which memd itself tells of."""
    told = env.get("MEMD_CLIENT__AUTOSTART")
    if told is not None:
        return told.strip().lower() in _YES
    try:
        with open(config_file(env, home=home), "rb") as file:
            text = file.read(_MOST_BYTES)
    except OSError:
        return False
    return b"autostart" in text and _says(text.decode("utf-8", "replace"))


def _says(text: str) -> bool:
    import tomllib

    try:
        section = tomllib.loads(text).get("client")
    except (ValueError, RecursionError):
        return False
    return isinstance(section, dict) and section.get("autostart") is True
