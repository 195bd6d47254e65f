"""What systemd is told: ready, alive, stopping, and a line of status. Without systemd it is told nothing.

The rule: telling never fails and never waits; a supervisor that does not listen is no trouble of ours.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends datagrams to the socket in ``NOTIFY_SOCKET`` (sd_notify(3))."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._address = _address(env.get("NOTIFY_SOCKET", ""))
        self.watchdog_seconds = _watchdog_seconds(env)

    def starting(self, status: str, seconds: int) -> None:
        """The start takes longer: let so much time pass before giving up."""
        self._send(status=status, extend_timeout_usec=str(seconds * 1_000_000))

    def ready(self, status: str = "") -> None:
        """memd serves."""
        self._send(ready="1", status=status)

    def alive(self) -> None:
        """Feed the watchdog; at least twice in ``watchdog_seconds``, where that is not None."""
        self._send(watchdog="1")

    def stopping(self) -> None:
        """memd is about to end."""
        self._send(stopping="1")

    def status(self, line: str) -> None:
        """One line for ``systemctl status``."""
        self._send(status=line)

    def _send(self, **fields: str) -> None:
        if self._address is None:
            return
        lines = [f"{name.upper()}={' '.join(value.split())}" for name, value in fields.items() if value]
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto("\n".join(lines).encode(errors="replace"), self._address)
        except OSError:
            pass  # also when there is no descriptor left


def _address(path: str) -> str | None:
    """A path, or an abstract name written with @ where the kernel wants a NUL."""
    if path.startswith("@"):
        return "\0" + path[1:]
    return path if path.startswith("/") else None


def _watchdog_seconds(env: Mapping[str, str]) -> float | None:
    """The time in which systemd wants a sign of life, if it is this process it watches."""
    micros = env.get("WATCHDOG_USEC", "")
    watched = env.get("WATCHDOG_PID", "")
    if not micros.isdigit() or int(micros) == 0 or (watched and watched != str(os.getpid())):
        return None
    return int(micros) / 1_000_000
