"""The language model behind the budget: every call is redacted, has room in the day's budget, and stands in the ledger.

The row is written before the call and corrected after it, so that a call is in the ledger whatever becomes of memd.
The reply is kept until its effect is stored (``replies.forget`` in that transaction): asked the same again, it is the
answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from typing import cast

import structlog

from memd.clock import Clock
from memd.db.database import Database
from memd.db.driver import Connection
from memd.errors import ModelError, ModelRefused, ReplyCut, ReplyUnusable, SpendLimit
from memd.ledger import budget, estimate, prices, replies, table
from memd.ledger.budget import Caps
from memd.ledger.call import Call, Result, Tokens
from memd.providers.llm.base import JSON, LanguageModel, Reply, Request, Stop
from memd.text.leaves import leaves, with_leaves
from memd.text.tokens import Counter
from memd.turns.redact import redact

_log = structlog.get_logger("memd.llm")

_STOPS: dict[str, type[ModelError]] = {
    Stop.CUT: ReplyCut,
    Stop.REFUSED: ModelRefused,
    Stop.TOO_LARGE: ReplyUnusable,
}


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
            request = await asyncio.to_thread(outgoing, request)
            payload = _payload(self.model, request)
            if (known := await self._db.read(replies.kept, payload)) is not None:
                return _unpacked(known)
            number = await self._reserve(request)
            return _usable(await self._asked(request, payload, number))

    async def close(self) -> None:
        await self._model.close()

    async def _reserve(self, request: Request) -> int:
        tokens = await asyncio.to_thread(estimate.of, _texts(request), request.max_tokens, self._counter)
        price = prices.dollars(self.model, tokens)
        at_ms, what = self._clock.now_ms(), request.purpose
        call = Call(0, at_ms, request.job, what, self.model, tokens, price, Result.RUNNING)
        return await self._db.write(table.reserve, call, self._caps)

    async def _asked(self, request: Request, payload: bytes, number: int) -> Reply:
        try:
            reply = await self._model.complete(request)
        except BaseException as error:
            await self._failed(error, number)
            raise
        reply = replace(_redacted(reply), call=number)
        await self._db.write(self._came, reply, payload)
        _log.info("llm_call", call=number, purpose=request.purpose, job=request.job, result=_result(reply))
        return reply

    async def _failed(self, error: BaseException, number: int) -> None:
        told = error if isinstance(error, ModelError) else ModelError()
        kind = Result.CANCELLED if isinstance(error, asyncio.CancelledError) else told.kind
        await self._db.write(table.fail, number, kind, free=told.free)
        _log.info("llm_call", call=number, result=str(kind))
        if isinstance(error, SpendLimit) and not error.retry_after_s:
            error.retry_after_s = budget.seconds_left(self._clock.now_ms())

    def _came(self, connection: Connection, reply: Reply, payload: bytes) -> None:
        assert reply.call is not None
        tokens = Tokens(reply.input_tokens, reply.cached_tokens, reply.output_tokens)
        price = prices.dollars(self.model, tokens)
        table.correct(connection, reply.call, _result(reply), tokens, price)
        if reply.stop_reason not in _STOPS:
            replies.keep(connection, payload, reply.call, json.dumps(asdict(reply)), self._clock.now_ms())


def outgoing(request: Request) -> Request:
    """The request as it leaves the machine: without secrets (R12), however they came into it."""
    return replace(request, system=redact(request.system).text, prompt=redact(request.prompt).text)


def _redacted(reply: Reply) -> Reply:
    """A model can put a secret together from pieces that were none."""
    if reply.data is None:
        return replace(reply, text=redact(reply.text).text)
    data = _clean(reply.data)
    return (
        reply if data == reply.data else replace(reply, data=data, text=json.dumps(data, ensure_ascii=False))
    )


def _clean(data: JSON) -> JSON:
    texts = (redact(text).text for text in leaves(data))
    return cast(JSON, with_leaves(data, texts))


def _usable(reply: Reply) -> Reply:
    """The reply, if it is one that was given to its end."""
    if error := _STOPS.get(reply.stop_reason):
        raise error
    return reply


def _result(reply: Reply) -> str:
    error = _STOPS.get(reply.stop_reason)
    return error.kind if error else Result.OK


def _texts(request: Request) -> Iterator[str]:
    yield from (request.system, request.prompt, json.dumps(request.schema))


def _payload(model: str, request: Request) -> bytes:
    """A hash of all that makes the reply."""
    whole = [model, *_texts(request), request.max_tokens]
    return sha256(json.dumps(whole).encode()).digest()


def _unpacked(kept: str) -> Reply:
    return Reply(**json.loads(kept))
