"""A daemon that says what the test tells it to: a thread with a Unix socket and a script."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping

import msgpack

Message = dict[str, object]
Script = Callable[[Message], "Reply"]
Reply = Mapping[str, object] | bytes | list[Mapping[str, object]] | None


def framed(message: Mapping[str, object]) -> bytes:
    """The frame of a message, by the rules of the protocol and none of memd's code."""
    payload: bytes = msgpack.packb(message)
    return len(payload).to_bytes(4, "big") + payload


def answer(result: Mapping[str, object]) -> Script:
    """A script that answers every request with this result."""
    return lambda request: {"v": 1, "id": request["id"], "ok": True, "result": result}


def error(code: str, message: str = "told so") -> Script:
    """A script that answers every request with this error."""
    return lambda request: {
        "v": 1,
        "id": request["id"],
        "ok": False,
        "error": {"code": code, "message": message},
    }


def silent(request: Message) -> None:
    """A script that never answers."""


class FakeDaemon:
    """Answers by its script: a message or several, raw bytes after which it hangs up, or (None) nothing."""

    def __init__(self, path: str, script: Script) -> None:
        self.path = path
        self.script = script
        self.requests: list[Message] = []
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        os.chmod(path, 0o600)
        self._listener.listen(8)
        self._doorman = threading.Thread(target=self._serve, daemon=True)
        self._doorman.start()

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters of the last request."""
        found = self.requests[-1]["params"]
        assert isinstance(found, dict)
        return found

    def close(self) -> None:
        """Hang up on everybody."""
        # Closing alone would not wake a thread that waits in accept or recv.
        _hang_up(self._listener)
        self._doorman.join()  # who is let in this very moment is hung up on too
        for plug in self._open:
            _hang_up(plug)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client.makefile("rb") as stream:
            while head := stream.read(4):
                request = msgpack.unpackb(stream.read(int.from_bytes(head, "big")))
                self.requests.append(request)
                reply = self.script(request)
                if isinstance(reply, bytes):
                    client.sendall(reply)
                    client.shutdown(socket.SHUT_RDWR)
                elif reply is not None:
                    messages = reply if isinstance(reply, list) else [reply]
                    client.sendall(b"".join(map(framed, messages)))


def _hang_up(plug: socket.socket) -> None:
    with contextlib.suppress(OSError):
        plug.shutdown(socket.SHUT_RDWR)
    plug.close()


@contextlib.contextmanager
def running(script: Script) -> Iterator[FakeDaemon]:
    """A fake daemon in a short folder of its own (a socket's address is short)."""
    with tempfile.TemporaryDirectory(prefix="memctl-") as folder:
        daemon = FakeDaemon(os.path.join(folder, "memd.sock"), script)
        try:
            yield daemon
        finally:
            daemon.close()
