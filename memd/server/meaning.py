"""What a text means to the embedder that serves, found within the time that somebody who waits has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from memd.db.vectors import Lane
from memd.errors import MemdError
from memd.memory.meaning import Meaning
from memd.providers.embedding.base import Embedder, ModelUnavailable
from memd.services import InUse, Services

EMBED_SECONDS = 3.0
ON = "on"
NOT_ASKED_FOR = "off: not asked for"

T = TypeVar("T")


async def of_question(
    services: Services, text: str, used: InUse | None, seconds: float | None = EMBED_SECONDS
) -> tuple[Lane, str]:
    """The lane of a question and its state; without a vector where the model does not answer, and why.

    With None ``seconds`` the model is waited for until it is loaded.
    """
    off = Lane(services.vectors, used.space if used else None)
    if used is None:
        return off, "off: no embedder is configured"
    lane, state = await _in_time(services, lambda: _lane(off, used.embedder, text), seconds)
    return lane or off, state


def _lane(off: Lane, embedder: Embedder, text: str) -> Lane:
    vector = embedder.embed_query(text)
    tokens = embedder.tokens.tokens_of_query(text) if embedder.tokens else None
    return replace(off, vector=vector, tokens=tokens)


async def of_text(services: Services, text: str) -> Meaning | None:
    """The meaning of a text that is to be stored; None where that has to wait for the model."""
    used = services.embedding.serving
    if used is None:
        return None
    found, _ = await _in_time(services, lambda: used.embedder.embed_documents([text]), EMBED_SECONDS)
    return Meaning(used.space, found[0]) if found else None


async def _in_time(services: Services, embed: Callable[[], T], seconds: float | None) -> tuple[T | None, str]:
    work = asyncio.get_running_loop().run_in_executor(services.query_thread, embed)
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            return await work, ON
    except ModelUnavailable as error:
        services.troubles.raise_("embedding", error.what, error.hint)
        return None, f"off: {error.what}"
    except TimeoutError:
        if not timer.expired():
            raise  # the call's own deadline
        return None, "off: the model took too long"
    except MemdError as error:
        return None, f"off: {error.message}"
    except Exception as error:  # the model's own; who waits is served without it, and told
        return None, f"off: the model failed ({type(error).__name__})"
