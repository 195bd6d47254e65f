"""Who owns a database: the daemon that holds the lock beside it. Others may read it, and no more than that."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK = "memd.lock"


def of(database: Path) -> str | None:
    """The pid of the daemon that owns the database at a path; None where there is none."""
    try:
        descriptor = os.open(
            database.with_name(LOCK), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        )
    except OSError:
        return None
    try:
        fcntl.flock(
            descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB
        )  # closing lets go; a daemon that starts tries twice
        return None
    except BlockingIOError:
        pid = os.pread(descriptor, 32, 0).partition(b"\n")[0]
        return pid.decode() if pid.isdigit() else "unknown"
    except OSError:
        return None
    finally:
        os.close(descriptor)
