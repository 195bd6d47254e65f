"""A socket that the supervisor has bound and hands over: systemd by environment, launchd by a call."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Mapping

from memd.errors import ConfigError

_FIRST_FD = 3  # sd_listen_fds(3)
LAUNCHD_NAME = "memd"  # the key below Sockets in the agent's plist


def passed_socket(env: Mapping[str, str]) -> socket.socket | None:
    """The listening socket that was passed to this very process, or None."""
    fd = _systemd_fd(env) if sys.platform != "darwin" else _launchd_fd(LAUNCHD_NAME)
    if fd is None:
        return None
    sock = socket.socket(fileno=fd)
    if sock.family != socket.AF_UNIX or sock.type != socket.SOCK_STREAM:
        sock.close()
        raise ConfigError("the socket passed by the supervisor is no Unix stream socket")
    sock.set_inheritable(False)
    sock.setblocking(False)
    return sock


def _systemd_fd(env: Mapping[str, str]) -> int | None:
    if env.get("LISTEN_PID") != str(os.getpid()):
        return None
    count = env.get("LISTEN_FDS", "")
    if count == "1":
        return _FIRST_FD
    raise ConfigError(f"memd takes one socket from its supervisor, not {count or 'none'}")


def _launchd_fd(name: str) -> int | None:
    system = ctypes.CDLL(None)
    fds, count = ctypes.POINTER(ctypes.c_int)(), ctypes.c_size_t()
    if system.launch_activate_socket(name.encode(), ctypes.byref(fds), ctypes.byref(count)) != 0:
        return None  # not started by launchd, or its plist names no socket
    passed = [fds[place] for place in range(count.value)]
    system.free(fds)
    return passed[0] if passed else None
