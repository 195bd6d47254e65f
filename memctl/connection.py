"""One connection to memd: bytes of a frame out, bytes of a frame in, each within its time.

The rule: nothing is sent before the kernel has said that the process at the other end is our user's, and no
length is believed that memd would not send. ``_socket`` is the C half of ``socket``, whose Python half is not worth
its import.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from memctl.exits import FORBIDDEN, NO_DAEMON, TRY_AGAIN, Absent, Failure, nonsense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memctl.arguments import Arguments

CONNECT_SECONDS = 0.5
ANSWER_SECONDS = 8.0
LARGEST = 8 << 20  # memd's limit for an answer
HEADER = 4

_START = "start it with `memctl service start`, or `memd run` in a terminal"


class Connection:
    """A connected socket. Every failure is one that memctl can end with."""

    __slots__ = ("_buffer", "_path", "_socket")

    def __init__(self, path: str) -> None:
        self._path = path
        self._buffer = bytearray()
        self._socket = _connected(path)
        owner = _peer_uid(self._socket)
        if owner != os.geteuid():
            self.close()
            raise Failure(
                FORBIDDEN,
                f"the process that listens at {path} is of user {owner}, not ours: nothing was sent",
            )

    def send(self, frame: bytes) -> None:
        """Send a frame. A daemon that hangs up first may still have said why, so that is no failure here."""
        self._socket.settimeout(ANSWER_SECONDS)
        try:
            self._socket.sendall(frame)
        except TimeoutError:
            raise self._late(ANSWER_SECONDS) from None
        except OSError:
            pass

    def receive(self, seconds: float) -> bytes:
        """The payload of the next frame."""
        end = time.monotonic() + seconds
        size = int.from_bytes(self._take(HEADER, end, seconds), "big")
        if not 0 < size <= LARGEST:
            raise nonsense(f"a frame of {size} bytes")
        return self._take(size, end, seconds)

    def hang_up(self) -> None:
        """End the conversation for whoever waits in it, in another thread too."""
        try:
            self._socket.shutdown(_socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        """Let go of the socket."""
        self._socket.close()

    def _take(self, size: int, end: float, seconds: float) -> bytes:
        buffer = self._buffer
        while len(buffer) < size:
            left = end - time.monotonic()
            if left <= 0:
                raise self._late(seconds)
            self._socket.settimeout(left)
            try:
                chunk = self._socket.recv(1 << 16)
            except TimeoutError:
                raise self._late(seconds) from None
            except OSError:
                chunk = b""
            if not chunk:
                raise Failure(
                    NO_DAEMON, f"memd at {self._path} hung up before it answered: try again, or see its log"
                )
            buffer += chunk
        taken = bytes(buffer[:size])
        del buffer[:size]
        return taken

    def _late(self, seconds: float) -> Failure:
        return Failure(
            TRY_AGAIN,
            f"memd at {self._path} did not answer within {seconds:g} s: try again (--timeout S waits longer)",
        )


def reach(arguments: Arguments, path: str) -> Connection:
    """A connection to memd, which is started first where nobody answers and the settings ask for that."""
    try:
        return Connection(path)
    except Absent:
        from memctl import autostart

        connection = autostart.reached(arguments, path)
        if not connection:
            raise
        return connection


def _connected(path: str) -> _socket.socket:
    plug = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    end = time.monotonic() + CONNECT_SECONDS
    while True:
        plug.settimeout(CONNECT_SECONDS)
        try:
            plug.connect(path)
            return plug
        except (
            BlockingIOError,
            TimeoutError,
        ):  # its queue is full: somebody is there, who does not come round to us
            if time.monotonic() > end:
                plug.close()
                raise Failure(
                    TRY_AGAIN, f"memd at {path} takes no connection: it is busy or stopped, try again"
                ) from None
            time.sleep(0.02)
        except PermissionError:
            plug.close()
            raise Failure(FORBIDDEN, f"the socket {path} belongs to another user") from None
        except OSError as error:
            plug.close()
            raise Absent(f"no memd at {path} ({error.strerror or error}): {_START}") from None


def _peer_uid(plug: _socket.socket) -> int:
    """Whose process listens, as the kernel says."""
    if sys.platform == "darwin":
        raw = plug.getsockopt(
            0, 1, 76
        )  # SOL_LOCAL, LOCAL_PEERCRED: a struct xucred, its version before its uid
    else:
        raw = plug.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(raw[4:8], sys.byteorder)
