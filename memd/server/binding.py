"""The socket's place in the file system: bound so that only we can connect, and nothing of others is removed.

The caller holds the daemon's lock: only then is a socket that nobody listens on surely a dead one of ours.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memd.errors import CannotCreate, ConfigError
from memd.server.folder import private_folder
from memd.wire.address import MAX_BYTES

BACKLOG = 512


@dataclass(frozen=True, slots=True)
class Bound:
    """A listening socket and the file it made; a passed one has no file of ours."""

    sock: socket.socket
    path: Path | None = None
    inode: tuple[int, int] | None = None

    def is_in_place(self) -> bool:
        """Whether its file is still the one at the path; a passed socket's place is not our business."""
        return self.path is None or _inode(self.path) == self.inode

    def remove(self) -> None:
        """Remove the file if it is still ours, and close."""
        if self.path and self.is_in_place():
            self.path.unlink(missing_ok=True)
        self.sock.close()


def bind(path: Path) -> Bound:
    """A socket listening at the path, 0600 in a folder of 0700. Fatal, and nothing touched, when it may not be."""
    check_length(path)
    private_folder(path.parent)
    _clear(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        with _umask(0o077):
            sock.bind(str(path))
        path.chmod(0o600)
        sock.listen(BACKLOG)
        return Bound(sock, path, _inode(path))
    except OSError as error:
        sock.close()
        raise CannotCreate(f"the socket {path} cannot be made: {error.strerror}") from error


def check_length(path: Path) -> None:
    """ConfigError where no socket can stand at a path that is so long."""
    size = len(os.fsencode(path))
    if size > MAX_BYTES:
        raise ConfigError(
            f"the socket's path {path} is {size} bytes long, and at most {MAX_BYTES} work: "
            "set MEMD_SOCKET to a shorter path, or MEMD_HOME to a folder less deep"
        )


def _clear(path: Path) -> None:
    """Remove a dead socket of ours; anything else at the path is left alone."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise CannotCreate(f"{path} is no socket; move it away, or set MEMD_SOCKET to another path")
    if found.st_uid != os.geteuid() or not _is_dead(path):
        raise CannotCreate(f"another program listens on the socket {path}")
    path.unlink(missing_ok=True)


def _is_dead(path: Path) -> bool:
    """Only a refused connection says so: one that waits, or is of another type, has an owner."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        return probe.connect_ex(str(path)) in (errno.ECONNREFUSED, errno.ENOENT)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)
