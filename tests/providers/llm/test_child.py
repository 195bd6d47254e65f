"""The life of the process that asks: started when it is needed, gone when it is not, never longer there than memd."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.errors import ModelCrashed, ModelTimeout
from memd.providers.llm import frames, process
from memd.providers.llm.base import Request
from memd.providers.llm.frames import Model
from memd.providers.llm.process import ModelProcess
from tests import messages_api
from tests.messages_api import MessagesApi

REQUEST = Request("You distil.", "Entries: none", {"type": "object"}, 100, "reflect")
PLAIN = {"PATH": os.environ["PATH"]}
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def api() -> Iterator[MessagesApi]:
    with messages_api.serving() as one:
        yield one


def model(api: MessagesApi, idle_s: float = 60.0, file: Path | None = None, **more: str) -> ModelProcess:
    return ModelProcess(
        Model("anthropic", "claude", file, 30.0), {**PLAIN, **api.env(), **more}, idle_s=idle_s
    )


def is_alive(pid: int) -> bool:
    """Whether it runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.01)


def test_it_starts_at_the_first_call_stays_for_the_next_and_goes_when_idle(api: MessagesApi) -> None:
    async def live() -> None:
        one = model(api, idle_s=0.3)
        assert one.pid is None
        await one.complete(REQUEST)
        first = one.pid
        await one.complete(REQUEST)
        assert first is not None and one.pid == first
        await until(lambda: not is_alive(first))
        await one.close()

    asyncio.run(live())


def test_calling_off_a_call_ends_the_process_and_one_that_dies_in_a_call_is_an_error_that_passes(
    api: MessagesApi,
) -> None:
    """W27: whatever became of one call, the next one is made."""

    async def live() -> None:
        one = model(api)
        api.script.append(messages_api.HANG)
        api.arrived.clear()
        call = asyncio.create_task(one.complete(REQUEST))
        await asyncio.to_thread(api.arrived.wait, 20)
        first = one.pid
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert first is not None
        await until(lambda: not is_alive(first))

        call = asyncio.create_task(one.complete(REQUEST))
        await until(lambda: one.pid is not None)
        os.kill(one.pid or 0, signal.SIGKILL)
        with pytest.raises(ModelCrashed) as caught:
            await call
        assert caught.value.transient
        assert (await one.complete(REQUEST)).data is not None
        await one.close()

    asyncio.run(live())


def test_a_process_that_does_not_answer_at_all_is_ended(
    api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 2.0)

    async def live() -> None:
        one = ModelProcess(Model("anthropic", "claude", None, 0.1), {**PLAIN, **api.env()})
        call = asyncio.create_task(one.complete(REQUEST))
        await until(lambda: one.pid is not None)
        pid = one.pid or 0
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(ModelTimeout):
            await call
        assert not is_alive(pid)
        await one.close()

    asyncio.run(live())


def test_it_ends_when_its_parent_ends_in_the_middle_of_a_call(api: MessagesApi) -> None:
    api.script.append(messages_api.HANG)
    api.arrived.clear()
    child = start({**PLAIN, **api.env()})
    assert child.stdin is not None
    child.stdin.write(frames.packed(frames.of_model(Model("anthropic", "claude", None, 30.0))))
    child.stdin.write(frames.packed(frames.of_request(REQUEST)))
    child.stdin.flush()
    assert api.arrived.wait(20)

    child.stdin.close()

    assert child.wait(5) == 0


def start(env: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "memd.providers.llm.child"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**env, "PYTHONPATH": str(ROOT)}
    )


def test_it_is_given_only_what_it_needs(api: MessagesApi) -> None:
    secret = {"AWS_SECRET_ACCESS_KEY": "s", "GITHUB_TOKEN": "s", "ANTHROPIC_LOG": "debug", "MEMD_HOME": "/h"}

    async def live() -> set[bytes]:
        one = model(api, **secret)
        call = asyncio.create_task(one.complete(REQUEST))
        await until(lambda: one.pid is not None)
        held = await asyncio.to_thread(Path(f"/proc/{one.pid}/environ").read_bytes)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await one.close()
        return {pair.partition(b"=")[0] for pair in held.split(b"\0")}

    given = asyncio.run(live())
    assert b"ANTHROPIC_API_KEY" in given
    assert not given & {name.encode() for name in secret}
