"""The lock that makes one daemon of many: whoever holds it owns the home.

The rule: the kernel's ``flock`` decides, for as long as the process lives; the pid in the file, and the line below it
that says what memd is at or how it ended, are only for messages. A lock file that was removed and made anew is
another lock, so the one we hold must be the one at the path.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from memd.errors import CannotCreate

STARTING = "it is"  # how the lines begin that are said during the start
_PID_WAIT_SECONDS = 0.05  # the owner writes its pid right after it got the lock
_ASKED_SECONDS = 0.05


class Lock:
    """A lock that is held. Closing it, or the end of the process, lets go.

    ``ran_before``: an owner before this one got through its start, so what it keeps must be there.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        pid, _, said = os.pread(fd, 4096, 0).partition(b"\n")
        self.ran_before = pid.isdigit() and not said.startswith(STARTING.encode())
        self.say(f"{STARTING} starting")

    def say(self, line: str) -> None:
        """Leave a line for who finds nobody at the socket: how far the start is, or why memd ended."""
        if self._fd >= 0:
            _write(self._fd, f"{os.getpid()}\n{' '.join(line.split())}".rstrip() + "\n")

    def release(self) -> None:
        """Let go; the file stays, for removing it would race with the next owner."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def acquire(path: Path) -> Lock:
    """The lock, or CannotCreate that names the owner."""
    tried = False
    while True:
        fd = _open(path)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(fd, path):
                return Lock(fd)
        except BlockingIOError:
            owner = _owner(fd)
            os.close(fd)
            if tried:
                raise CannotCreate(f"another memd ({owner}) holds {path}") from None
            tried = True  # who only asks whether it is held (memd/db/owner.py) holds it for a moment
            time.sleep(_ASKED_SECONDS)
            continue
        except OSError as error:
            os.close(fd)
            raise CannotCreate(f"{path} cannot be locked: {error.strerror}") from error
        os.close(fd)


def _open(path: Path) -> int:
    """Python makes descriptors non-inheritable: no program that memd starts can keep the lock."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        os.fchmod(fd, 0o600)
        return fd
    except OSError as error:
        raise CannotCreate(f"{path} cannot be opened: {error.strerror}") from error


def _is_at(fd: int, path: Path) -> bool:
    held = os.fstat(fd)
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def _write(fd: int, text: str) -> None:
    raw = text.encode("utf-8", "replace")
    try:
        os.pwrite(fd, raw, 0)
        os.ftruncate(fd, len(raw))
    except OSError:
        pass  # on a full disk or a failing one the lock holds all the same


def _owner(fd: int) -> str:
    for wait in (_PID_WAIT_SECONDS, 0):
        pid = os.pread(fd, 32, 0).partition(b"\n")[0]
        if pid.isdigit():
            return f"pid {pid.decode()}"
        time.sleep(wait)
    return "pid unknown"
