"""From a request to its answer: finds the method, checks its parameters, keeps its deadline, tells what failed.

The rule: whatever a handler does, the caller gets one frame, and the log gets at most one line, in which
nothing of the request appears but the name of a method that exists.
"""

from __future__ import annotations

import asyncio
import secrets
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from memd.errors import Busy, MemdError, Timeout, TooLarge, UnknownMethod
from memd.server import params
from memd.server.params import Params, Schema
from memd.server.peer import Peer
from memd.wire import frames, messages
from memd.wire.messages import Request

_log = structlog.get_logger()

Send = Callable[[bytes], Awaitable[None]]


@dataclass(slots=True)
class Delivery:
    """How a request came and its answer goes: the seconds it waited for its turn, and what follows on the answer.

    ``then`` is run once the answer has been written to a client that was still there; else never.
    """

    waited: float = 0.0
    then: list[Callable[[], None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as its handler sees it."""

    params: Params
    peer: Peer
    deadline: float | None  # on the loop's clock
    event: Callable[[Mapping[str, object]], Awaitable[None]]
    delivery: Delivery = field(default_factory=Delivery)


Handler = Callable[[Call], Awaitable[Mapping[str, object]]]


@dataclass(frozen=True, slots=True)
class Method:
    """What can be asked by one name. A long call has no deadline and ends when its client hangs up; an
    immediate one is answered whatever else is in flight, so it must not wait for anything. A fleeting one is asked by
    who soon gives up: few are answered at once, the newest first, and each ends when its client hangs up."""

    handler: Handler
    schema: Schema
    seconds: float | None = 10.0
    immediate: bool = False
    fleeting: bool = False

    @property
    def ends_with_client(self) -> bool:
        """Whether nothing of it is worth anything once its client has gone."""
        return self.fleeting or self.seconds is None


class Dispatcher:
    """Answers requests by a table of methods."""

    def __init__(self, methods: Mapping[str, Method]) -> None:
        self._methods = methods

    def find(self, name: str) -> Method | None:
        """The method of that name."""
        return self._methods.get(name)

    async def answer(self, request: Request, peer: Peer, send: Send, delivery: Delivery) -> bytes:
        """The frame to send back; events of a long call go through ``send`` before."""
        try:
            result = await self._run(self._method(request.method), request, peer, send, delivery)
            return _checked_size(frames.encode(messages.answer(request.id, result)), request)
        except MemdError as fault:
            return error_frame(request.id, fault)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            return error_frame(request.id, Busy("the work was called off"))
        except Exception as bug:
            return error_frame(request.id, _report(bug, request.method))

    def _method(self, name: str) -> Method:
        method = self.find(name)
        if method is None:
            raise UnknownMethod(f"there is no method {_shown(name)}")
        return method

    async def _run(
        self, method: Method, request: Request, peer: Peer, send: Send, delivery: Delivery
    ) -> Mapping[str, object]:
        checked = params.check(method.schema, request.params)

        async def event(body: Mapping[str, object]) -> None:
            await send(frames.encode(messages.event(request.id, body)))

        timer = asyncio.timeout(method.seconds)
        try:
            async with timer:
                return await method.handler(Call(checked, peer, timer.when(), event, delivery))
        except TimeoutError:
            if timer.expired():
                raise Timeout(f"{request.method} took longer than {method.seconds:g} s") from None
            raise


def read_request(payload: bytes) -> Request:
    """The request in a frame's payload. A bad frame raises without an id; a bad request carries its own."""
    message = frames.decode(payload, frames.REQUEST)
    try:
        return messages.check_request(message)
    except MemdError as fault:
        raise BadEnvelope(messages.request_id(message), fault) from None


class BadEnvelope(Exception):
    """A well-formed frame whose request is not; the connection can go on."""

    def __init__(self, id: int | str | None, fault: MemdError) -> None:
        super().__init__(fault.message)
        self.frame = error_frame(id, fault)


def error_frame(id: int | str | None, fault: MemdError) -> bytes:
    """The frame that tells of an error."""
    return frames.encode(messages.error(id, fault))


def place_of(error: BaseException) -> str:
    """File and line of memd's own code nearest to where the error was raised."""
    steps = traceback.extract_tb(error.__traceback__)
    ours = [step for step in steps if "memd" in Path(step.filename).parts] or steps
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "unknown"


def _report(bug: Exception, method: str) -> MemdError:
    """Log a bug by its type and place (its text may quote the request), and give the caller a number to quote."""
    error_id = secrets.token_hex(4)
    _log.error("call_failed", id=error_id, method=method, error=type(bug).__name__, place=place_of(bug))
    return MemdError(f"something went wrong inside memd; the log has it as {error_id}", detail=error_id)


def _checked_size(frame: bytes, request: Request) -> bytes:
    size, most = len(frame) - frames.HEADER, frames.ANSWER.frame
    if size > most:
        raise TooLarge(
            f"the answer to {request.method} is {size} bytes, over {most}: ask for fewer at a time"
        )
    return frame


def _is_cancelled() -> bool:
    """Whether this call is being cancelled, rather than something it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _shown(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:40] + "…")
