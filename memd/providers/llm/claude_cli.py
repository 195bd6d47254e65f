"""The person's own login of the client: `claude -p`, which writes no transcript, runs no hook and knows no tool."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping

from memd.errors import ModelCrashed, ModelRejected, ModelTimeout, ModelUnreachable
from memd.providers.llm.base import Reply, Request, Stop, answered, parsed
from memd.text.fence import OWN_RUN
from memd.wire.model_call import MARK

_FLAGS = ("-p", "--no-session-persistence", "--setting-sources", "", "--strict-mcp-config", "--tools", "")
# A key would be charged where the login is meant.
_NOT_PASSED_ON = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class ClaudeCli:
    """A LanguageModel. Each call is a process of the client; ``env`` is memd's own environment."""

    def __init__(self, model: str, timeout_s: float, env: Mapping[str, str]) -> None:
        self._model, self._timeout_s = model, timeout_s
        kept = {name: value for name, value in env.items() if name not in _NOT_PASSED_ON}
        self._env = {**kept, MARK: "1"}
        self._calls = asyncio.Lock()

    @property
    def name(self) -> str:
        return "claude-cli"

    @property
    def model(self) -> str:
        return f"claude-cli:{self._model}"  # not the provider's name: a login is not charged by the call

    def check(self) -> str:
        """Where the client is; that its login holds is seen when it is asked."""
        return f"the login of {self._program()}"

    async def complete(self, request: Request) -> Reply:
        """The model's reply. Raises ModelError."""
        async with self._calls:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return self._reply(await self._said(request))
            except TimeoutError as error:
                raise ModelTimeout from error

    async def close(self) -> None:
        """Nothing outlives a call."""

    def _program(self) -> str:
        program = shutil.which("claude", path=self._env.get("PATH"))
        if program is None:
            raise ModelRejected(
                "there is no program claude in memd's PATH: install it, or choose another llm.provider"
            )
        return program

    async def _said(self, request: Request) -> bytes:
        program = self._program()
        process = await asyncio.create_subprocess_exec(
            program, *self._arguments(request), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._env,
            cwd=tempfile.gettempdir(),
        )  # fmt: skip
        try:
            said, _ = await process.communicate(f"{OWN_RUN}\n{request.prompt}".encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return said

    def _arguments(self, request: Request) -> tuple[str, ...]:
        """What is private comes on stdin, for arguments can be read by every process."""
        shape = ("--output-format", "json", "--json-schema", json.dumps(request.schema))
        return (*_FLAGS, "--model", self._model, "--system-prompt", request.system, *shape)

    def _reply(self, said: bytes) -> Reply:
        message = parsed(said.decode("utf-8", "replace"))
        if not isinstance(message, dict):
            raise ModelCrashed("claude -p ended without an answer; does it work in a terminal?")
        if message.get("is_error"):
            raise ModelUnreachable(
                "claude -p says that it failed; try it in a terminal, its login may have ended"
            )
        data = message.get("structured_output")
        text = json.dumps(data, ensure_ascii=False) if data is not None else str(message.get("result") or "")
        value = data if data is not None else parsed(text)
        return answered(text, value, self.model, message.get("usage"), Stop.END)
