"""The language model behind the budget and the ledger, as the jobs ask it (see ``metering``)."""

from __future__ import annotations

import asyncio

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.ledger import metering
from memd.ledger.budget import Caps
from memd.providers.llm.base import LanguageModel, Reply, Request
from memd.text.tokens import Counter

_log = structlog.get_logger("memd.llm")


class Metered:
    """A LanguageModel that costs no more than it may."""

    def __init__(
        self, model: LanguageModel, db: Database, clock: Clock, caps: Caps, counter: Counter
    ) -> None:
        self._model, self._db, self._clock = model, db, clock
        self._caps, self._counter = caps, counter
        self._calls = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def model(self) -> str:
        return self._model.model

    def check(self) -> str:
        return self._model.check()

    async def complete(self, request: Request) -> Reply:
        """The model's reply, also one that was paid for before. Raises ModelError and BudgetSpent."""
        async with self._calls:
            request = await asyncio.to_thread(metering.outgoing, request)
            payload = metering.payload(self.model, request)
            if (known := await self._db.read(metering.known, payload)) is not None:
                return known
            tokens = await asyncio.to_thread(metering.estimated, request, self._counter)
            now_ms = self._clock.now_ms()
            number = await self._db.write(metering.begin, self.model, request, tokens, self._caps, now_ms)
            return metering.usable(await self._asked(request, payload, number))

    async def close(self) -> None:
        await self._model.close()

    async def _asked(self, request: Request, payload: bytes, number: int) -> Reply:
        try:
            answer = await self._model.complete(request)
        except BaseException as error:
            kind = await self._db.write(metering.failed, error, number, self._clock.now_ms())
            _log.info("llm_call", call=number, result=kind)
            raise
        now_ms = self._clock.now_ms()
        reply = await self._db.write(metering.came, self.model, answer, number, payload, now_ms)
        _log.info(
            "llm_call",
            call=number,
            purpose=request.purpose,
            job=request.job,
            result=metering.result(reply),
        )
        return reply
