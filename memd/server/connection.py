"""One client: bytes to requests, answers to bytes, and the limits on its time and space.

The rule: what a client does wrong costs it its own connection and nobody else anything. Each connection sleeps
on at most three timers, none of which ticks: a partial frame's, an untaken answer's, and an idle one that is set
anew only when it fires.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable

import structlog

from memd.errors import BadRequest, Busy, MemdError
from memd.server.dispatch import BadEnvelope, Delivery, Method, error_frame, read_request
from memd.server.hall import Hall
from memd.server.limits import Gate
from memd.server.peer import Peer, has_hung_up
from memd.wire import frames
from memd.wire.frames import BadFrame, FrameReader
from memd.wire.messages import Request

_log = structlog.get_logger()


class Connection(asyncio.Protocol):
    """The server's end of one client's socket."""

    def __init__(self, hall: Hall, peer: Peer, sock: socket.socket) -> None:
        self._hall = hall
        self._options = hall.options
        self._peer = peer
        self._sock = sock
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._reader = FrameReader(frames.REQUEST)
        self._pending: deque[bytes] = deque()  # frames that wait for their turn
        self._next: Request | None = None  # the first of them, decoded
        self._next_at = 0.0
        self._running: dict[asyncio.Task[None], bool] = {}  # and whether it ends with its client
        self._ended = False  # no more requests will be read
        self._taken = asyncio.Event()  # the client has taken all that was written
        self._taken.set()
        self._active_at = self._loop.time()
        self._frame_timer: asyncio.TimerHandle | None = None
        self._take_timer: asyncio.TimerHandle | None = None
        self._idle_timer: asyncio.TimerHandle | None = None

    # --- what the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=0)  # paused means: not all of it is taken
        self._idle_timer = self._loop.call_later(self._options.idle_seconds, self._check_idle)
        if self._ended:  # the server stopped in the meantime
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._ended = True
        self._forget_requests()
        self._taken.set()
        for timer in (self._frame_timer, self._take_timer, self._idle_timer):
            if timer:
                timer.cancel()
        for task, ends in self._running.items():
            if ends:  # another may be a write that was asked for in passing: let it end
                task.cancel()
        self._hall.leave(self)

    def data_received(self, data: bytes) -> None:
        self._active_at = self._loop.time()
        try:
            arrived = self._reader.feed(data)
        except BadRequest as fault:
            self._refuse(fault)
            return
        self._pending.extend(arrived)
        self._pump(new_frame=bool(arrived))

    def eof_received(self) -> bool:
        if has_hung_up(self._sock):
            return False
        self._ended = True
        if self._reader.partial:
            self._refuse(BadFrame("the connection ended inside a frame"))
        self._close_when_done()
        return True

    def pause_writing(self) -> None:
        self._taken.clear()
        self._take_timer = self._loop.call_later(
            self._options.take_seconds, self._drop, "it did not take its answers"
        )

    def resume_writing(self) -> None:
        self._taken.set()
        if self._take_timer:
            self._take_timer.cancel()
        self._pump()

    # --- what the server calls

    @property
    def unsent(self) -> int:
        """Bytes that the client has yet to take."""
        return self._transport.get_write_buffer_size() if self._transport else 0

    def finish(self) -> None:
        """Read no more; close when the running calls are answered."""
        self._ended = True
        self._forget_requests()
        self._throttle()
        self._close_when_done()

    def cancel_calls(self) -> None:
        """End the running calls; their callers are told to come again."""
        for task in self._running:
            task.cancel()

    def abort(self) -> None:
        """Close at once, taken or not."""
        if self._transport:
            self._transport.abort()

    # --- requests

    def _pump(self, *, new_frame: bool = False) -> None:
        """Start what may start, and read on only when nothing waits."""
        while self._may_start() and (request := self._decoded()):
            method = self._hall.dispatcher.find(request.method)
            gate = self._hall.gate_of(method)
            if gate and not gate.enter(self._pump):
                break
            self._next = None
            self._start(request, gate, method)
        if self._reader.fault and not (self._pending or self._next or self._ended):
            self._refuse(self._reader.fault)
        self._throttle(new_frame)
        self._close_when_done()

    def _may_start(self) -> bool:
        return len(self._running) < self._options.in_flight_each and self._taken.is_set()

    def _decoded(self) -> Request | None:
        """The request whose turn it is; those that are none are answered on the way."""
        while self._next is None and self._pending and self._taken.is_set():
            try:
                self._next = read_request(self._pending.popleft())
                self._next_at = self._loop.time()
            except BadEnvelope as bad:
                self._write(bad.frame)
            except BadRequest as fault:
                self._refuse(fault)
        return self._next

    def _start(self, request: Request, gate: Gate | None, method: Method | None) -> None:
        task = self._loop.create_task(self._serve(request, Delivery(self._loop.time() - self._next_at)))
        self._running[task] = method is not None and method.ends_with_client
        task.add_done_callback(self._release(gate) if gate else self._settle)

    async def _serve(self, request: Request, delivery: Delivery) -> None:
        try:
            frame = await self._hall.dispatcher.answer(request, self._peer, self._send_event, delivery)
        except asyncio.CancelledError:
            self._write(error_frame(request.id, Busy("memd is stopping")))
            raise
        if self._write(frame):
            for follow in delivery.then:
                follow()

    def _release(self, gate: Gate) -> Callable[[asyncio.Task[None]], None]:
        """Give the place back here and not in the task: one cancelled before its first step runs no line."""

        def release(task: asyncio.Task[None]) -> None:
            self._settle(task)
            gate.leave()

        return release

    def _settle(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._active_at = self._loop.time()
        self._pump()

    def _forget_requests(self) -> None:
        self._pending.clear()
        self._next = None
        for gate in (self._hall.gate, self._hall.fleeting):
            gate.forget(self._pump)

    # --- reading and its limits

    def _throttle(self, new_frame: bool = False) -> None:
        """Leave bytes in the socket while earlier requests wait; time a partial frame only while it is read.

        Behind a fleeting one that waits for a place it is read on, for that is how it shows that its client has gone.
        """
        if not self._transport:
            return
        reading = not self._ended and self._may_start() and not self._pending and self._reads_on()
        if reading:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()
        timed = reading and self._reader.partial
        if self._frame_timer and (new_frame or not timed):
            self._frame_timer.cancel()
            self._frame_timer = None
        if timed and self._frame_timer is None:
            self._frame_timer = self._loop.call_later(self._options.frame_seconds, self._frame_overdue)

    def _reads_on(self) -> bool:
        if self._next is None:
            return True
        method = self._hall.dispatcher.find(self._next.method)
        return method is not None and method.fleeting

    def _frame_overdue(self) -> None:
        self._refuse(BadFrame(f"the frame was not complete {self._options.frame_seconds:g} s after it began"))

    def _refuse(self, fault: MemdError) -> None:
        """Say what is wrong with the connection as a whole, and read nothing more from it."""
        self._write(error_frame(None, fault))
        _log.info("client_refused", code=fault.code, pid=self._peer.pid, limited=True)
        self.finish()

    def _check_idle(self) -> None:
        quiet = self._loop.time() - self._active_at
        busy = self._running or self._next or self._pending or not self._taken.is_set()
        if not busy and quiet >= self._options.idle_seconds:
            self.finish()
            return
        wait = self._options.idle_seconds - (0 if busy else quiet)
        self._idle_timer = self._loop.call_later(max(wait, 0.001), self._check_idle)

    # --- writing and its limits

    async def _send_event(self, frame: bytes) -> None:
        await self._taken.wait()
        self._write(frame)

    def _write(self, frame: bytes) -> bool:
        """Whether the client was there to be written to, and has the frame in its hands."""
        if not self._transport or self._transport.is_closing():
            return False
        if not self._taken.is_set() and self._hall.unsent() + len(frame) > self._options.unsent_bytes:
            self._drop("too much is waiting to be taken")
            return False
        self._transport.write(
            frame
        )  # at once, where the client's buffer takes it; a client that has gone closes it
        return not self._transport.is_closing() and not self._transport.get_write_buffer_size()

    def _drop(self, why: str) -> None:
        _log.warning("client_dropped", why=why, pid=self._peer.pid, limited=True)
        self.abort()

    def _close_when_done(self) -> None:
        if self._ended and self._transport and not (self._running or self._pending or self._next):
            self._transport.close()
