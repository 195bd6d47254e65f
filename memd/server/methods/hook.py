"""The method ``hook``: what a hook of Claude Code is to print. And ``context``, which shows a person the same.

``hook`` takes the name of the event and the text that came on standard input, at most 64 KiB of it:

    {"event": "session-start" | "user-prompt-submit" | "pre-compact" | "stop" | "session-end", "input": TEXT}

and gives ``{"output": TEXT}``: exactly what is to be printed, which is nothing, or one line of JSON in ASCII. An event
that is not what it should be, a failure, and an answer that would come too late are all nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import structlog

from memd.errors import MemdError
from memd.injection import events
from memd.injection.events import Event
from memd.server import meaning, scope
from memd.server.dispatch import Call, Delivery, Method
from memd.server.injecting import NOTHING_BEARS, TOO_LITTLE, Injecting
from memd.server.params import choice, integer, text
from memd.services import Services
from memd.sources import scan
from memd.sources.exclusions import lies_in

_log = structlog.get_logger("memd.hook")

INPUT_BYTES = 64 << 10
MOST_TOKENS = 100_000
CONTEXT_SECONDS = 30.0  # the model may have to be loaded first: a person waits rather than be shown less

# Less than memctl waits, which is 1 s, and 2 s at a session's start.
SECONDS = {
    "session-start": 1.5,
    "user-prompt-submit": 0.7,
    "pre-compact": 0.7,
    "stop": 0.7,
    "session-end": 0.7,
}


class Hooks:
    """Answers hooks, and whoever wants to see what they would say."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._injecting = Injecting(services)

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        hook = {"event": choice(*SECONDS), "input": text(most=INPUT_BYTES, blank=True)}
        context = {
            "query": text(optional=True),
            "budget": integer(1, MOST_TOKENS, optional=True),
            **scope.FIELDS,
        }
        return {
            "hook": Method(self.hook, hook, fleeting=True),
            "context": Method(self.context, context, seconds=CONTEXT_SECONDS),
        }

    async def hook(self, call: Call) -> Mapping[str, object]:
        """What the hook is to print."""
        name, event = call.params.text("event"), events.read(call.params.text("input"))
        if event is None:
            return {"output": ""}
        try:
            async with asyncio.timeout(SECONDS[name] - call.delivery.waited):
                return {"output": await self._answer(name, event, call.delivery)}
        except (TimeoutError, MemdError) as error:
            _log.warning("hook_unanswered", event_name=name, error=type(error).__name__, limited=True)
            return {"output": ""}

    async def _answer(self, name: str, event: Event, delivery: Delivery) -> str:
        if await asyncio.to_thread(self._passes_over, event):
            return ""
        match name:
            case "session-start":
                return await self._injecting.at_start(event, delivery)
            case "user-prompt-submit":
                return await self._injecting.at_prompt(event, delivery)
        # Who has rung may go: what was rung for is done all the same.
        await asyncio.shield(asyncio.to_thread(self._ring, event.transcript))
        return ""

    def _passes_over(self, event: Event) -> bool:
        """Whether memd has no part in it: a run of memd's own, a subagent's, or one in an excluded folder."""
        services = self._services
        own = lies_in(event.cwd, str(services.db.path.parent))
        return own or bool(event.agent) or (bool(event.cwd) and services.exclusions.cover(event.cwd))

    def _ring(self, transcript: str) -> None:
        """Have a transcript read now, if it is one that memd watches; what the event itself says of it is not read."""
        for root in self._services.roots:
            if (path := scan.resolved(root, transcript)) is not None:
                self._services.sources.hint([path])

    async def context(self, call: Call) -> Mapping[str, object]:
        """What a hook would hand over now, to a session that was handed nothing yet."""
        began, params, services = time.perf_counter(), call.params, self._services
        asked = params.maybe_text("query")
        name, page, lane, budget = await self._injecting.shown(params)
        note = None if page.text else TOO_LITTLE if lane == TOO_LITTLE else NOTHING_BEARS
        return {
            "query": asked,
            "text": page.text,
            "tokens": services.counter.count(page.text),
            "budget": budget,
            "counter": services.counter.name,
            "sources": [one.id for one in page.items],
            "note": note,
            "scope": name,
            "meaning": meaning.NOT_ASKED_FOR if lane == TOO_LITTLE else lane,
            "elapsed_ms": round((time.perf_counter() - began) * 1000, 1),
        }
