"""memd as a tool sees it: held to a scope, and what it hands over is fenced (R13)."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.arguments import Arguments
from memctl.client import Answer, Client, connect
from memctl.connection import ANSWER_SECONDS
from memctl.exits import TRY_AGAIN, Failure
from memctl.mcp.scope import Scope
from memctl.output import line, plain

Params = Mapping[str, object]


class Memory:
    """One call's own connection, from its first question on; another thread may hang it up."""

    def __init__(self, arguments: Arguments, scope: Scope) -> None:
        self.scope = scope
        self._arguments = arguments
        self._client: Client | None = None
        self._is_over = False

    def ask(self, method: str, params: Params, seconds: float = ANSWER_SECONDS) -> Answer:
        """The answer as it is. What is stored must not go from there to a model."""
        if self._client is None:
            self._client = connect(self._arguments)
        if self._is_over:
            raise Failure(TRY_AGAIN, "the call was taken back")
        return self._client.call(method, params, seconds=self._arguments.number("timeout") or seconds)

    def within(self, method: str, params: Params, seconds: float = ANSWER_SECONDS) -> Answer:
        """The answer of a method that knows scopes, held to this one."""
        return self.ask(method, {**params, **self.scope.looking()}, seconds)

    def fenced(self, method: str, params: Params, seconds: float = ANSWER_SECONDS) -> Answer:
        """The same behind a fence, with how many ``pieces`` there are, how many are ``left_out``, and the ``scope``."""
        asked = {"method": method, "params": {**params, **self.scope.looking()}}
        return self.ask("fenced", asked, seconds)

    def told(
        self,
        method: str,
        params: Params,
        *,
        more: str,
        nothing: str = "Nothing was found",
        seconds: float = ANSWER_SECONDS,
    ) -> str:
        """The same as the text of a result: ``more`` says how to see what was cut for length."""
        answer = self.fenced(method, params, seconds)
        lines, left_out = [str(answer.get("text") or "")], answer.get("left_out")
        if not answer.get("pieces"):
            lines.insert(0, f"{nothing} in {line(answer.get('scope'))}.")
        if left_out or answer.get("cut"):
            what = f"{plain(left_out)} more are left out" if left_out else "the last one is cut"
            lines.append(f"({what}, so that this is not too long: {more})")
        return "\n".join(filter(None, lines))

    def hang_up(self) -> None:
        """End the call, whatever it waits for."""
        self._is_over = True
        if self._client is not None:
            self._client.hang_up()

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            self._client.close()
