"""The method ``fenced``: what another method answers, as a text for a model, within what its client takes at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from memd.server import params
from memd.server.dispatch import Call, Method
from memd.server.params import choice, integer, mapping
from memd.server.portion import MOST_TOKENS, portion
from memd.server.telling import TOLD
from memd.services import Services
from memd.text.neutral import neutral

SECONDS = 30.0  # the longest that a method takes that is asked here

SCHEMA = {
    "method": choice(*TOLD),
    "params": mapping(optional=True),
    "tokens": integer(200, MOST_TOKENS, default=MOST_TOKENS),
}


class Fenced:
    """Asks the other methods."""

    def __init__(self, services: Services, methods: Mapping[str, Method]) -> None:
        self._services = services
        self._methods = methods

    def methods(self) -> Mapping[str, Method]:
        """What can be asked."""
        return {"fenced": Method(self.fenced, SCHEMA, seconds=SECONDS)}

    async def fenced(self, call: Call) -> Mapping[str, object]:
        """The fenced text with its remarks, how many pieces were left out for length, and whether the last is cut."""
        name, tokens = call.params.text("method"), call.params.integer("tokens")
        method = self._methods[name]
        asked = params.check(method.schema, call.params.mapping("params"))
        answer = await method.handler(Call(asked, call.peer, call.deadline, call.event, call.delivery))
        told = TOLD[name](answer)
        part = await asyncio.to_thread(portion, told.lines, self._services.counter, tokens)
        remarks = [neutral(remark) for remark in told.remarks]
        return {
            "text": "\n".join(filter(None, (part.text, *remarks))),
            "pieces": len(told.lines),
            "left_out": part.left_out,
            "cut": part.cut,
            "scope": answer.get("scope"),
        }
