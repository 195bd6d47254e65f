"""A network between a client and a server, which can be cut: then it refuses everybody, or swallows all it is given."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

HEAVY = 1_000  # bytes of a message that carries something


class Proxy:
    """Listens at a port of this machine and hands on to a server, until it is cut."""

    def __init__(self, server: Path | tuple[str, int]) -> None:
        self._server = server
        self._open: set[socket.socket] = set()
        self._lock = threading.RLock()
        self._silent = self._holding = False
        self.held = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._listen()

    def silence(self) -> None:
        """Let nothing through any more and tell nobody, as a network does where packets vanish."""
        self._silent = True

    def hold(self) -> None:
        """Be silent from the next bigger message on; ``held`` is set then."""
        self._holding = True

    def refuse(self) -> None:
        """Break every connection and take none, as a proxy that was stopped."""
        with self._lock:
            with contextlib.suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)  # or it would take one more
            self._listening.close()
            self._break()

    def restore(self) -> None:
        """Let everything through again; what was connected before is connected no more."""
        with self._lock:
            self._silent = self._holding = False
            self._break()
            if self._listening.fileno() < 0:
                self._listening = socket.create_server(("127.0.0.1", self.port))
                self._listen()

    def _break(self) -> None:
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        family = socket.AF_UNIX if isinstance(self._server, Path) else socket.AF_INET
        with client, socket.socket(family) as server, contextlib.suppress(OSError):
            with self._lock:
                self._open |= {client, server}
            if not self._silent:
                server.connect(str(self._server) if isinstance(self._server, Path) else self._server)
                threading.Thread(target=self._hand_on, args=(server, client), daemon=True).start()
            self._hand_on(client, server)
        with self._lock:
            self._open -= {client, server}

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if self._holding and len(data) > HEAVY:
                    self._silent = True
                    self.held.set()
                if not self._silent:
                    target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
