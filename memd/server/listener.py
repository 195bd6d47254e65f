"""The listener: binds the socket, lets clients in up to the limit, and leaves in good order.

The rule: only our own user gets in, by a Unix socket and nothing else; a client that is one too many is told so.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Mapping
from pathlib import Path

import structlog

from memd.errors import Busy, Fatal, Forbidden, MemdError
from memd.server.activation import passed_socket
from memd.server.binding import Bound, bind
from memd.server.connection import Connection
from memd.server.dispatch import Dispatcher, error_frame
from memd.server.hall import Hall
from memd.server.limits import ServerOptions
from memd.server.peer import peer_of

_log = structlog.get_logger()

_AT_ONCE = 64  # clients let in before the loop may do something else
_PAUSE_SECONDS = 0.1
_FLUSH_SECONDS = 0.3


class Listener:
    """The server of one socket."""

    def __init__(
        self,
        path: Path | str,
        dispatcher: Dispatcher,
        options: ServerOptions | None = None,
        *,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self._path = Path(path)
        self._env = env
        options = options or ServerOptions()
        self._hall = Hall(dispatcher, options)
        self._most = options.client_limit()
        self._bound: Bound | None = None
        self._welcomes: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None

    @property
    def clients(self) -> int:
        """How many are connected."""
        return len(self._hall.present)

    async def start(self) -> None:
        """Listen: on the supervisor's socket if it passed one, else on our own at the path. Fatal if neither."""
        passed = passed_socket(self._env)
        self._bound = Bound(passed) if passed else bind(self._path)
        self._listen()

    def rebind_if_gone(self) -> bool:
        """Whether the socket's file had been removed and stands again. What somebody put there instead stays."""
        bound = self._bound
        if bound is None or bound.is_in_place():
            return False
        try:
            anew = bind(self._path)
        except Fatal as error:
            _log.warning("socket_lost", error=type(error).__name__, limited=True)
            return False
        self._quiet()
        self._bound = anew
        self._listen()
        self._accept(bound.sock)  # who had connected before the file went
        bound.sock.close()
        _log.warning("socket_bound_again", limited=True)
        return True

    async def stop(self, grace: float = 2.0) -> None:
        """Let nobody in, give running calls so many seconds, cancel the rest, close, remove our socket."""
        if self._bound is None:
            return
        self._quiet()
        self._bound.remove()
        self._bound = None
        for connection in list(self._hall.present):
            connection.finish()
        if not await self._emptied(grace):
            for connection in list(self._hall.present):
                connection.cancel_calls()
            if not await self._emptied(_FLUSH_SECONDS):
                for connection in list(self._hall.present):
                    connection.abort()
                await self._emptied(_FLUSH_SECONDS)

    # --- letting clients in

    def _listen(self) -> None:
        if self._bound:
            asyncio.get_running_loop().add_reader(self._bound.sock, self._accept, self._bound.sock)

    def _quiet(self) -> None:
        if self._pause:
            self._pause.cancel()
            self._pause = None
        if self._bound:
            asyncio.get_running_loop().remove_reader(self._bound.sock)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, _address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._rest(error)
                return
            self._admit(client)

    def _rest(self, error: OSError) -> None:
        """Out of descriptors, the socket stays readable: look away for a moment instead of spinning on it."""
        _log.warning("accept_failed", error=errno.errorcode.get(error.errno or 0, "unknown"), limited=True)
        self._quiet()
        self._pause = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._listen)

    def _admit(self, client: socket.socket) -> None:
        try:
            client.setblocking(False)
            peer = peer_of(client)
        except OSError:
            client.close()
            return
        if not peer.is_us:
            _log.warning("client_forbidden", uid=peer.uid, limited=True)
            _turn_away(client, Forbidden("this memd answers only to its own user"))
        elif self.clients >= self._most:
            _log.warning("client_turned_away", clients=self.clients, limited=True)
            _turn_away(client, Busy(f"{self.clients} clients are connected already; try again"))
        else:
            connection = Connection(self._hall, peer, client)
            self._hall.present.add(connection)
            self._hall.emptied.clear()
            welcome = asyncio.get_running_loop().create_task(self._welcome(connection, client))
            self._welcomes.add(welcome)
            welcome.add_done_callback(self._welcomes.discard)

    async def _welcome(self, connection: Connection, client: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, client)
        except OSError:
            client.close()
            self._hall.leave(connection)

    async def _emptied(self, seconds: float) -> bool:
        """Whether all clients are gone within so many seconds."""
        if not self._hall.present:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self._hall.emptied.wait()
        except TimeoutError:
            return False
        return True


def _turn_away(client: socket.socket, fault: MemdError) -> None:
    """Say why, if the client's buffer takes it, and close."""
    with client:
        try:
            client.send(error_frame(None, fault))
        except OSError:
            pass
