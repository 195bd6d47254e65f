"""What is done about every call of the language model, whoever makes it: no secret goes out, it has room in the day's
budget, and it stands in the ledger whatever becomes of memd.

The row is written before the call and corrected after it. The reply is kept until its effect is stored
(``replies.forget`` in that transaction): asked the same again, it is the answer.
"""

from __future__ import annotations

import json
from asyncio import CancelledError
from collections.abc import Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from typing import cast

from memd.db.driver import Connection
from memd.errors import ModelError, ModelRefused, ReplyCut, ReplyUnusable, SpendLimit
from memd.ledger import budget, estimate, prices, replies, table
from memd.ledger.budget import Caps
from memd.ledger.call import Call, Result, Tokens
from memd.providers.llm.base import JSON, Reply, Request, Stop
from memd.text.leaves import leaves, with_leaves
from memd.text.tokens import Counter
from memd.turns.redact import redact

_STOPS: dict[str, type[ModelError]] = {
    Stop.CUT: ReplyCut,
    Stop.REFUSED: ModelRefused,
    Stop.TOO_LARGE: ReplyUnusable,
}


def outgoing(request: Request) -> Request:
    """The request as it leaves the machine: without secrets (R12), however they came into it."""
    return replace(request, system=redact(request.system).text, prompt=redact(request.prompt).text)


def payload(model: str, request: Request) -> bytes:
    """A hash of all that makes the reply."""
    whole = [model, *_texts(request), request.max_tokens]
    return sha256(json.dumps(whole).encode()).digest()


def estimated(request: Request, counter: Counter) -> Tokens:
    """What it will take at most. Costs processor time."""
    return estimate.of(_texts(request), request.max_tokens, counter)


def known(connection: Connection, hashed: bytes) -> Reply | None:
    """The reply to a payload that was paid for before."""
    kept = replies.kept(connection, hashed)
    return None if kept is None else Reply(**json.loads(kept))


def begin(
    connection: Connection, model: str, request: Request, tokens: Tokens, caps: Caps, now_ms: int
) -> int:
    """Write down a call that is about to be made; its number. BudgetSpent where there is no room for it."""
    price = prices.dollars(model, tokens)
    call = Call(0, now_ms, request.job, request.purpose, model, tokens, price, Result.RUNNING)
    return table.reserve(connection, call, caps)


def came(connection: Connection, model: str, answer: Reply, number: int, hashed: bytes, now_ms: int) -> Reply:
    """Write down what a call took, and keep its reply where it is one; the reply as it is handed on."""
    reply = replace(_redacted(answer), call=number)
    tokens = Tokens(reply.input_tokens, reply.cached_tokens, reply.output_tokens)
    table.correct(connection, number, result(reply), tokens, prices.dollars(model, tokens))
    if reply.stop_reason in _STOPS:
        table.keep_answer(connection, number, reply.text)
    else:
        replies.keep(connection, hashed, number, json.dumps(asdict(reply)), now_ms)
    return reply


def failed(connection: Connection, error: BaseException, number: int, now_ms: int) -> str:
    """Write down how a call failed; the word for it. A spending limit without an end is over with the day."""
    told = error if isinstance(error, ModelError) else ModelError()
    kind = Result.CANCELLED if isinstance(error, CancelledError) else told.kind
    table.fail(connection, number, kind, free=told.free)
    if isinstance(error, SpendLimit) and not error.retry_after_s:
        error.retry_after_s = budget.seconds_left(now_ms)
    return str(kind)


def usable(reply: Reply) -> Reply:
    """The reply, if it is one that was given to its end; else ModelRefused, ReplyCut or ReplyUnusable."""
    if error := _STOPS.get(reply.stop_reason):
        raise error
    return reply


def of_no_use(connection: Connection, reply: Reply) -> None:
    """Write down that a reply is paid for and of no use, and how it began: the next time it is asked anew."""
    replies.forget(connection, reply.call)
    if reply.call is not None:
        table.fail(connection, reply.call, ReplyUnusable.kind, free=False)
        table.keep_answer(connection, reply.call, reply.text)


def result(reply: Reply) -> str:
    """What came of a call, in a word."""
    error = _STOPS.get(reply.stop_reason)
    return error.kind if error else Result.OK


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


def _texts(request: Request) -> Iterator[str]:
    yield from (request.system, request.prompt, json.dumps(request.schema))
