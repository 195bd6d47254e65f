"""The vector of a question, and the state of the vector lane as answers tell it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memd.errors import MemdError
from memd.providers.embedding.base import ModelUnavailable
from memd.services import InUse, Services

if TYPE_CHECKING:
    from memd.turns.search import Vector

ON = "on"
NOT_ASKED_FOR = "off: not asked for"


async def vector_of(
    services: Services, query: str, used: InUse | None, *, seconds: float | None
) -> tuple[Vector | None, str]:
    """The question's vector, and what the lane is. Without one the words answer alone.

    After so many ``seconds`` the model is not waited for any more; None waits until it is loaded.
    """
    if used is None:
        return None, "off: no embedder is configured"
    loop = asyncio.get_running_loop()
    work = loop.run_in_executor(services.query_thread, used.embedder.embed_query, query)
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            return await work, ON
    except ModelUnavailable as error:
        services.troubles.raise_("embedding", error.what, error.hint)
        return None, f"off: {error.what}"
    except TimeoutError:
        if not timer.expired():
            raise
        return None, "off: the model took too long"
    except MemdError as error:
        return None, f"off: {error.message}"
