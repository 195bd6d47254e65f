"""A blocking client: calls and their events over one connection, every failure one that memctl can end with."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from memctl import lock
from memctl.arguments import Arguments
from memctl.connection import ANSWER_SECONDS, Connection, reach
from memctl.exits import Absent, nonsense, other_version, refusal
from memd.errors import BadRequest
from memd.wire import frames, messages
from memd.wire.address import data_folder, socket_path

Event = Callable[[Mapping[str, object]], None]
Answer = dict[str, object]

LONG_SECONDS = 600.0  # of silence, in a call that says what it does meanwhile or reads everything there is


class Client:
    """A conversation with memd."""

    def __init__(self, connection: Connection, seconds: float = ANSWER_SECONDS) -> None:
        self._connection = connection
        self._seconds = seconds
        self._calls = 0

    def call(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        seconds: float | None = None,
        event: Event | None = None,
    ) -> Answer:
        """The result. Each frame has ``seconds`` to come; the events of a long call go to ``event``."""
        self._calls += 1
        self._connection.send(frames.encode(messages.request(self._calls, method, params)))
        while True:
            message = _decoded(self._connection.receive(seconds or self._seconds), self._calls)
            body = message.get("event")
            if not isinstance(body, dict):
                return _result(message)
            if event:
                event(body)

    def hang_up(self) -> None:
        """End the call that another thread waits in."""
        self._connection.hang_up()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


def connect(arguments: Arguments, seconds: float = ANSWER_SECONDS) -> Client:
    """A client of the memd that the command line and the environment mean; ``--timeout`` wins over ``seconds``."""
    home = arguments.text("home")
    path = socket_path(os.environ, home=home, socket=arguments.text("socket"))
    try:
        return Client(reach(arguments, path), arguments.number("timeout") or seconds)
    except Absent:
        said = lock.said(data_folder(os.environ, home=home))
        if not said:
            raise
        raise Absent(f"no memd at {path}: {said}") from None


def ask(
    arguments: Arguments,
    method: str,
    params: Mapping[str, object] | None = None,
    seconds: float = ANSWER_SECONDS,
) -> Answer:
    """The result of one call, with the command's own parameters where none are given."""
    client = connect(arguments, seconds)
    try:
        return client.call(method, arguments.params() if params is None else params)
    finally:
        client.close()


def result_of(payload: bytes, request: int) -> Answer:
    """The result in an answer's payload."""
    return _result(_decoded(payload, request))


def with_cwd(params: dict[str, object]) -> dict[str, object]:
    """The parameters and the working directory, by which memd knows the project."""
    try:
        return {**params, "cwd": os.getcwd()}
    except OSError:  # it has been removed
        return params


def _decoded(payload: bytes, request: int) -> Answer:
    try:
        message = frames.decode(payload, frames.ANSWER)
    except (BadRequest, UnicodeDecodeError) as error:
        raise nonsense(str(error)) from None
    version, id = message.get("v"), message.get("id")
    if version != messages.VERSION:
        raise other_version(version, messages.VERSION)
    if id != request and (id is not None or message.get("ok") is not False):
        raise nonsense("an answer to something else")
    return message


def _result(message: Answer) -> Answer:
    result, error = message.get("result"), message.get("error")
    if message.get("ok") is True and isinstance(result, dict):
        return result
    if message.get("ok") is False and isinstance(error, dict):
        raise refusal(error.get("code"), error.get("message"))
    raise nonsense("neither a result nor an error")
