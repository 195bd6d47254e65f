"""A memd that memctl starts by itself: in a session of its own, so that it outlives the call and the terminal.

The rule: however many call at once, one starts it, and all wait for it.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from memctl import lock
from memctl.connection import Connection
from memctl.exits import NO_DAEMON, Absent, Failure
from memctl.supervisor import place
from memd.wire.address import data_folder

SECONDS = 10.0  # for memd to take connections
LOG = "memd.err"

_LOOK_SECONDS = 0.03


def connected(env: Mapping[str, str], path: str, home: str | None = None) -> Connection:
    """A connection to the memd of this home, started if nobody else is about to; Failure where it does not come."""
    data = data_folder(env, home=home)
    where = place.here(env, home=home, socket=path)
    with _alone(data) as first:
        child = _start(env, where) if first and not _is_starting(data) else None
        connection = _wait(path, data, child)
    if connection:
        return connection
    ended = child.returncode if child else None
    how = f"does not answer yet at {path}" if ended is None else f"ended with {ended}"
    said = lock.said(data)
    log = os.path.join(where.logs, LOG)
    raise Failure(
        NO_DAEMON,
        f"memd was started ([client] autostart), and {how}{f': {said}' if said else ''} (its log: {log})",
    )


@contextmanager
def _alone(data: str) -> Iterator[bool]:
    """Whether nobody else is about to start the memd of this folder; it is our turn until this ends."""
    os.makedirs(data, mode=0o700, exist_ok=True)
    fd = os.open(os.path.join(data, "autostart.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        yield _is_locked(fd)
    finally:
        os.close(fd)


def _is_locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_starting(data: str) -> bool:
    return lock.said(data).startswith("it is ")


def _start(env: Mapping[str, str], where: place.Place) -> subprocess.Popen[bytes]:
    os.makedirs(where.logs, mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    log = os.open(os.path.join(where.logs, LOG), flags, 0o600)
    # of a client's session that this may be called in, nothing but its folder is memd's business
    inherited = {name: value for name, value in env.items() if not name.startswith("CLAUDE")}
    try:
        return subprocess.Popen(
            (where.memd, "run"),
            env={**inherited, **where.environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise Failure(NO_DAEMON, f"memd could not be started: {where.memd}: {error.strerror}") from None
    finally:
        os.close(log)


def _wait(path: str, data: str, child: subprocess.Popen[bytes] | None) -> Connection | None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        has_ended = child is not None and child.poll() is not None  # looked at before the last try
        try:
            return Connection(path)
        except Absent:
            if has_ended and not _is_starting(data):
                return None
        time.sleep(_LOOK_SECONDS)
    return None
