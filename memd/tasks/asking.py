"""Asking a language model for an answer of a schema: what can be used of it, or why not, as an error for the queue."""

from __future__ import annotations

from memd.errors import ModelRefused, ReplyCut, ReplyUnusable
from memd.providers.llm.base import LanguageModel, Reply, Request, Stop


async def ask(model: LanguageModel, request: Request) -> Reply:
    """A reply that came to its end. ModelRefused, ReplyCut or ReplyUnusable where it did not; else as ``complete``."""
    reply = await model.complete(request)
    match reply.stop_reason:
        case Stop.REFUSED:
            raise ModelRefused()
        case Stop.CUT:
            raise ReplyCut()
        case Stop.TOO_LARGE:
            raise ReplyUnusable("the language model's answer is longer than memd takes")
    return reply
