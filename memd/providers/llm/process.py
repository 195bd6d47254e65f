"""The model behind a process of its own, started at the first call and ended when nobody has asked for a while.

Only one call runs at a time. One that takes too long, or is called off, ends the process: there is no other way to
be sure that it goes no further.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import memd
from memd.errors import ModelCrashed, ModelTimeout, ModelUnauthorized
from memd.providers.llm import frames, key
from memd.providers.llm.base import Reply, Request
from memd.providers.llm.frames import Model

IDLE_SECONDS = 60.0
START_SECONDS = 30.0  # on top of a call's own time, for the SDK to load on a slow machine

# Of the environment the child is given what it needs to get through, and no more.
PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "PYTHONPATH"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
    *(
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
    ),
)
PREFIXES = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
    "bedrock": ("AWS_",),
}
_HERE = str(Path(memd.__file__ or "").parents[1])


class ModelProcess:
    """A LanguageModel. ``env`` is memd's own environment."""

    def __init__(self, model: Model, env: Mapping[str, str], *, idle_s: float = IDLE_SECONDS) -> None:
        self._model, self._idle_s = model, idle_s
        self._own = env
        self._env = _environment(model.provider, env)
        self._process: Process | None = None
        self._calls = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None

    @property
    def name(self) -> str:
        return self._model.provider

    @property
    def model(self) -> str:
        return self._model.model

    @property
    def pid(self) -> int | None:
        """The process that asks; None while there is none."""
        return self._process.pid if self._process else None

    def check(self) -> str:
        """Where the key comes from."""
        if self._model.provider == "anthropic":
            return f"the key of {key.find(self._own, self._model.key_file).source}"
        if self._own.get("AWS_BEARER_TOKEN_BEDROCK"):
            return "the key of AWS_BEARER_TOKEN_BEDROCK"
        if find_spec("boto3") is None:
            raise ModelUnauthorized(
                "Bedrock needs boto3: pip install 'memd[bedrock]', then: memctl service restart"
            )
        return "the credentials of AWS"

    async def complete(self, request: Request) -> Reply:
        """The model's reply. Raises ModelError."""
        async with self._calls:
            self._keep()
            try:
                async with asyncio.timeout(START_SECONDS + self._model.timeout_s):
                    reply = frames.unpacked(await self._exchange(frames.packed(frames.of_request(request))))
            except BaseException as error:
                await self._end()
                if isinstance(error, TimeoutError):
                    raise ModelTimeout from error
                if isinstance(error, OSError | EOFError):  # it ended in the middle of it
                    raise ModelCrashed from error
                raise
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._kill)
            return frames.to_reply(reply)

    async def close(self) -> None:
        """End the process, for good."""
        self._keep()
        await self._end()

    async def _exchange(self, request: bytes) -> bytes:
        process = self._process
        if process is None or process.returncode is not None:
            process = await self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(request)
        await process.stdin.drain()
        size = int.from_bytes(await process.stdout.readexactly(frames.HEAD), "big")
        if size > frames.MOST_BYTES:
            raise ModelCrashed
        return await process.stdout.readexactly(size)

    async def _start(self) -> Process:
        """In memd's own process group, so that whatever ends that ends the child; with nothing open but its pipes."""
        command = (sys.executable, "-P", "-m", "memd.providers.llm.child")
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, env=self._env, cwd="/"
        )
        assert self._process.stdin is not None
        self._process.stdin.write(frames.packed(frames.of_model(self._model)))
        return self._process

    def _keep(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _end(self) -> None:
        process = self._process
        self._kill()
        if process is not None:
            await process.wait()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()


def _environment(provider: str, env: Mapping[str, str]) -> dict[str, str]:
    passed = {
        name: value
        for name, value in env.items()
        if name in PASSED_ON or name.startswith(PREFIXES.get(provider, ()))
    }
    paths = [_HERE, *filter(None, [env.get("PYTHONPATH")])]
    return {**passed, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}
