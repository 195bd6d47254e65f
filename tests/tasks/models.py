"""A language model for tests: it answers what it is told to, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from memd.providers.llm.base import JSON, Reply, Request, Stop, parsed

Answer: TypeAlias = "JSON | BaseException | Reply"


class Scripted:
    """Answers from a list, one after the other; the last one for ever. ``during`` is called while it is asked.

    With ``answering`` by what that says of the request.
    """

    name, model = "scripted", "claude-haiku-5-5"

    def __init__(self, *answers: Answer) -> None:
        self.answers: list[Answer] = list(answers)
        self.requests: list[Request] = []
        self.during: Callable[[], object] = lambda: None
        self.answering: Callable[[Request], Answer] | None = None

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        await asyncio.sleep(0)
        self.during()
        if self.answering is not None:
            answer = self.answering(request)
        else:
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Reply) else reply(answer)

    def check(self) -> str:
        return "scripted"

    async def close(self) -> None:
        pass


def reply(answer: JSON, stop: Stop = Stop.END) -> Reply:
    """The reply of a text, or of a JSON value."""
    if isinstance(answer, str):
        return Reply(answer, parsed(answer), "claude-haiku-5-5", 100, 0, 10, stop)
    return Reply("", answer, "claude-haiku-5-5", 100, 0, 10, stop)
