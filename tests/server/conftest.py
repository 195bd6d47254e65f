"""A server in process, on a socket with a short path, and a client that can misbehave."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memd.errors import Degraded
from memd.server.dispatch import Call, Dispatcher, Method
from memd.server.limits import ServerOptions
from memd.server.listener import Listener
from memd.server.params import integer, text
from memd.wire import frames, messages


class Client:
    """One connection; ``call`` gives the answer frame that carries its request's id."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._next = 0

    def send(self, method: str, id: int | str | None = None, **params: object) -> int | str:
        if id is None:
            self._next += 1
            id = self._next
        self.writer.write(frames.encode(messages.request(id, method, params)))
        return id

    async def receive(self) -> dict[str, object] | None:
        """The next frame, or None when the server has closed."""
        try:
            size = int.from_bytes(await self.reader.readexactly(4), "big")
            return frames.decode(await self.reader.readexactly(size), frames.ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def call(self, method: str, **params: object) -> dict[str, object]:
        id = self.send(method, **params)
        answer = await self.receive()
        assert answer is not None and answer["id"] == id, answer
        return answer

    async def close(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            pass


class Bench:
    """The server, what its methods count, and the switch its waiting methods wait for."""

    def __init__(self, path: Path, options: ServerOptions) -> None:
        self.path = path
        self.go = asyncio.Event()
        self.at_work = 0
        self.most_at_work = 0
        self.ended: list[str] = []
        self.begun: list[str] = []
        self.taken: list[str] = []
        self.changed = asyncio.Condition()
        self.listener = Listener(path, Dispatcher(self._methods()), options, env={})

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        client = Client(*await asyncio.open_unix_connection(self.path, limit=1 << 24))
        try:
            yield client
        finally:
            await client.close()

    async def until(self, what: object) -> None:
        """Wait for a condition on the counts."""
        assert callable(what)
        async with asyncio.timeout(5), self.changed:
            await self.changed.wait_for(what)

    async def until_clients(self, count: int) -> None:
        async with asyncio.timeout(5):
            while self.listener.clients != count:  # noqa: ASYNC110 - closing is seen by the kernel first
                await asyncio.sleep(0.005)

    def _methods(self) -> dict[str, Method]:
        return {
            "ping": Method(self._ping, {}, immediate=True),
            "echo": Method(self._echo, {"say": text(most=1 << 16)}),
            "wait": Method(self._wait, {}),
            "long": Method(self._wait, {}, seconds=None),
            "late": Method(self._wait, {}, seconds=0.02),
            "noted": Method(self._noted, {"say": text()}),
            "fleeting": Method(self._noted, {"say": text()}, fleeting=True),
            "big": Method(self._big, {"size": integer(0, 1 << 25)}),
            "events": Method(self._events, {"count": integer(0, 10_000)}, seconds=None),
            "bug": Method(self._bug, {"say": text()}),
            "no": Method(self._no, {}),
            "odd": Method(self._odd, {}),
            "gone": Method(self._gone, {}),
        }

    async def _ping(self, call: Call) -> Mapping[str, object]:
        return {"pid": call.peer.pid}

    async def _echo(self, call: Call) -> Mapping[str, object]:
        return {"said": call.params.text("say")}

    async def _wait(self, call: Call) -> Mapping[str, object]:
        await self._count(1)
        try:
            await self.go.wait()
            self.ended.append("done")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            await self._count(-1)
        return {}

    async def _noted(self, call: Call) -> Mapping[str, object]:
        said = call.params.text("say")
        self.begun.append(said)
        call.delivery.then.append(lambda: self.taken.append(said))
        return await self._wait(call)

    async def _count(self, change: int) -> None:
        self.at_work += change
        self.most_at_work = max(self.most_at_work, self.at_work)
        async with self.changed:
            self.changed.notify_all()

    async def _big(self, call: Call) -> Mapping[str, object]:
        return {"text": "x" * call.params.integer("size")}

    async def _events(self, call: Call) -> Mapping[str, object]:
        for n in range(call.params.integer("count")):
            await call.event({"n": n, "text": "x" * 10_000})
        return {"sent": True}

    async def _bug(self, call: Call) -> Mapping[str, object]:
        raise ValueError(f"cannot cope with {call.params.text('say')}")

    async def _no(self, call: Call) -> Mapping[str, object]:
        raise Degraded("no model", detail="it is missing")

    async def _odd(self, call: Call) -> Mapping[str, object]:
        return {"what": object()}

    async def _gone(self, call: Call) -> Mapping[str, object]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future
        return {}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket wherever tests run."""
    with tempfile.TemporaryDirectory(prefix="m-") as made:
        yield Path(made)


@asynccontextmanager
async def serving(folder: Path, **options: object) -> AsyncIterator[Bench]:
    """A server with these options, stopped at the end."""
    bench = Bench(folder / "run" / "memd.sock", ServerOptions(**options))  # type: ignore[arg-type] # by name
    await bench.listener.start()
    try:
        yield bench
    finally:
        bench.go.set()
        await bench.listener.stop(1.0)


def connected_blocking(path: Path, timeout: float = 5) -> socket.socket:
    """A plain socket, for what streams hide."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(timeout)
    sock.connect(str(path))
    return sock
