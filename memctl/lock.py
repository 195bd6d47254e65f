"""What memd left in its lock file for who finds nobody at the socket: how far its start is, or why it ended."""

from __future__ import annotations

import os

NAME = "memd.lock"


def said(data: str) -> str:
    """The line below the pid in the lock file of a data folder; nothing where there is none."""
    try:
        with open(os.path.join(data, NAME), "rb") as file:
            pid, _, line = file.read(4096).partition(b"\n")
    except OSError:
        return ""
    said = line.decode("utf-8", "replace").strip()
    if not pid.isdigit() or (said.startswith("it is ") and not _is_alive(int(pid))):
        return ""
    return said


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True
