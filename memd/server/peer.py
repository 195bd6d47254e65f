"""Who is at the other end of a Unix socket, as the kernel says."""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peer:
    """The process that connected; the pid is 0 where the system does not tell."""

    uid: int
    pid: int

    @property
    def is_us(self) -> bool:
        """Whether it runs as the same user as the daemon."""
        return self.uid == os.geteuid()


def peer_of(connection: socket.socket) -> Peer:
    """The peer of a connected socket; OSError when it has gone already."""
    if sys.platform == "darwin":
        return _darwin_peer(connection)
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    pid, uid, _gid = struct.unpack("3i", raw)
    return Peer(uid, pid)


def has_hung_up(connection: socket.socket) -> bool:
    """Whether the peer closed both directions, rather than only saying that it will send no more.

    Only Linux tells the two apart; elsewhere the first failing write does.
    """
    if sys.platform != "linux":
        return False
    poll = select.poll()
    poll.register(connection.fileno(), 0)
    return any(happened & select.POLLHUP for _, happened in poll.poll(0))


def _darwin_peer(connection: socket.socket) -> Peer:
    sol_local, local_peercred, local_peerpid = 0, 1, 2
    raw = connection.getsockopt(sol_local, local_peercred, 76)  # struct xucred: version, uid, groups
    _version, uid = struct.unpack_from("=II", raw)
    pid = struct.unpack("=i", connection.getsockopt(sol_local, local_peerpid, 4))[0]
    return Peer(uid, pid)
